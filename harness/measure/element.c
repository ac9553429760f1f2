#include "harness/measure/element.h"

#include <math.h>
#include <string.h>

const char *const element_names[] = {[ELEMENT_F32] = "f32", [ELEMENT_F64] = "f64", NULL};

static void encode_f32(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((float *)array)[i] = (float)values[i];
}

static void decode_f32(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = ((const float *)array)[i];
}

static void encode_f64(const double *values, int64_t count, void *array)
{
    memcpy(array, values, (size_t)count * sizeof(double));
}

static void decode_f64(const void *array, int64_t count, double *values)
{
    memcpy(values, array, (size_t)count * sizeof(double));
}

/* The upper half of an f32. */
static void encode_bf16(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof(bits));
        ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
    }
}

static void decode_bf16(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)((const uint16_t *)array)[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof(value));
        values[i] = value;
    }
}

static void encode_int8(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((int8_t *)array)[i] = isnan(values[i]) ? INT8_MIN : (int8_t)lrint(values[i]);
}

static void decode_int8(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = ((const int8_t *)array)[i];
}

static void encode_int32(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)array)[i] = isnan(values[i]) ? INT32_MIN : (int32_t)lrint(values[i]);
}

static void decode_int32(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = ((const int32_t *)array)[i];
}

/* Half precision: 5 bits of exponent and 10 of fraction, by arithmetic, since not every compiler
 * has the type. Its steps are 2^(exponent - 10), and 2^-24 below 2^-14. */
static uint16_t to_f16(double value)
{
    enum { FRACTION_BITS = 10, LEAST_EXPONENT = -14, INFINITE = 0x7c00, QUIET_NAN = 0x7e00 };
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent = LEAST_EXPONENT;
    if (isnan(value))
        return QUIET_NAN;
    if (fabs(value) >= ldexp(1, LEAST_EXPONENT) && isfinite(value))
        exponent = ilogb(value);
    const double steps = nearbyint(ldexp(fabs(value), FRACTION_BITS - exponent));
    /* A fraction that rounds up to the next power of two carries into the exponent by itself. */
    const double bits = steps + ldexp(exponent - LEAST_EXPONENT, FRACTION_BITS);
    return bits >= INFINITE ? sign | INFINITE : (uint16_t)(sign | (uint16_t)bits);
}

static double from_f16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static void encode_f16(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((uint16_t *)array)[i] = to_f16(values[i]);
}

static void decode_f16(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = from_f16(((const uint16_t *)array)[i]);
}

/* fp8 of OCP: e4m3 has 3 bits of fraction behind 4 of exponent and no infinity, e5m2 is the upper
 * half of an f16. Inputs are small whole numbers, which both hold exactly. */
static uint8_t to_fp8(double value, int fraction_bits, int least_exponent)
{
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    int exponent = least_exponent;
    if (isnan(value))
        return 0x7f;
    if (fabs(value) >= ldexp(1, least_exponent))
        exponent = ilogb(value);
    const double steps = nearbyint(ldexp(fabs(value), fraction_bits - exponent));
    return (uint8_t)(sign | (uint8_t)(steps + ldexp(exponent - least_exponent, fraction_bits)));
}

static double from_fp8(uint8_t bits, int fraction_bits, int least_exponent)
{
    const int one = 1 << fraction_bits, exponent = (bits & 0x7f) >> fraction_bits;
    const int fraction = bits & (one - 1);
    const double size = exponent ? ldexp(one + fraction, exponent - 1 + least_exponent)
                                 : ldexp(fraction, least_exponent);
    return ldexp(bits & 0x80 ? -size : size, -fraction_bits);
}

static void encode_e4m3(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((uint8_t *)array)[i] = to_fp8(values[i], 3, -6);
}

static void decode_e4m3(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++) {
        const uint8_t bits = ((const uint8_t *)array)[i];
        values[i] = (bits & 0x7f) == 0x7f ? (double)NAN : from_fp8(bits, 3, -6);
    }
}

static void encode_e5m2(const double *values, int64_t count, void *array)
{
    for (int64_t i = 0; i < count; i++)
        ((uint8_t *)array)[i] = to_fp8(values[i], 2, -14);
}

static void decode_e5m2(const void *array, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = from_f16((uint16_t)(((const uint8_t *)array)[i] << 8));
}

static const struct {
    size_t bytes;
    void (*encode)(const double *values, int64_t count, void *array);
    void (*decode)(const void *array, int64_t count, double *values);
} types[ELEMENT_COUNT] = {
    [ELEMENT_F32] = {4, encode_f32, decode_f32},
    [ELEMENT_F64] = {8, encode_f64, decode_f64},
    [ELEMENT_BF16] = {2, encode_bf16, decode_bf16},
    [ELEMENT_INT8] = {1, encode_int8, decode_int8},
    [ELEMENT_INT32] = {4, encode_int32, decode_int32},
    [ELEMENT_F16] = {2, encode_f16, decode_f16},
    [ELEMENT_E4M3] = {1, encode_e4m3, decode_e4m3},
    [ELEMENT_E5M2] = {1, encode_e5m2, decode_e5m2},
};

size_t element_bytes(enum element element)
{
    return types[element].bytes;
}

void element_encode(enum element element, const double *values, int64_t count, void *array)
{
    types[element].encode(values, count, array);
}

void element_decode(enum element element, const void *array, int64_t count, double *values)
{
    types[element].decode(array, count, values);
}
