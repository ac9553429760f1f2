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
