/* Numbers of 16 bits: f16 (10 bits of fraction, exponents from -14) and bf16 (7, from -126). */
#include "tests/cuda/emulation/engine.h"

namespace emulation
{

struct Format {
    int fraction_bits, least_exponent, most_exponent;
};

static constexpr Format formats[] = {{10, -14, 15}, {7, -126, 127}};
static constexpr uint16_t sign_bit = 0x8000;

static double decode(const Format &format, uint16_t bits)
{
    const int magnitude = bits & 0x7fff, bias = 1 - format.least_exponent;
    const int exponent = magnitude >> format.fraction_bits;
    const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
    double value;
    if (exponent > format.most_exponent + bias)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = std::ldexp(fraction, format.least_exponent - format.fraction_bits);
    else
        value = std::ldexp(fraction + (1 << format.fraction_bits),
                           exponent - bias - format.fraction_bits);
    return bits & sign_bit ? -value : value;
}

double value_of(Narrow type, uint16_t bits)
{
    static double table[2][1 << 16]; /* every f16 and every bf16 */
    static bool is_made;
    if (!is_made)
        for (int t = 0; t < 2; t++)
            for (unsigned b = 0; b < 1 << 16; b++)
                table[t][b] = decode(formats[t], static_cast<uint16_t>(b));
    is_made = true;
    return table[static_cast<int>(type)][bits];
}

/* The steps of a format at `value` are whole multiples of 2^step: rounding there is rounding to a
 * whole number, and a carry into the next exponent comes out right by itself. */
uint16_t round_to(Narrow type, double value)
{
    const Format &format = formats[static_cast<int>(type)];
    const int bias = 1 - format.least_exponent;
    const uint16_t sign = std::signbit(value) ? sign_bit : 0;
    const int infinity = (format.most_exponent + bias + 1) << format.fraction_bits;
    if (std::isnan(value))
        return 0x7fff;
    if (value == 0)
        return sign;
    int exponent = std::isinf(value) ? format.most_exponent + 1 : std::ilogb(value);
    exponent = exponent < format.least_exponent ? format.least_exponent : exponent;
    const double steps =
        std::nearbyint(std::ldexp(std::fabs(value), format.fraction_bits - exponent));
    if (exponent > format.most_exponent)
        return static_cast<uint16_t>(sign | infinity);
    const int offset = (exponent + bias - 1) << format.fraction_bits;
    const int magnitude = offset + static_cast<int>(steps);
    return static_cast<uint16_t>(sign | (magnitude < infinity ? magnitude : infinity));
}

/* a b + c, rounded to odd: a b is exact in double, the sum's error is known (Knuth's two-sum), and
 * a last bit set where it is inexact keeps the second rounding right (Boldo and Melquiond). */
static double multiply_add(double a, double b, double c)
{
    const double product = a * b, sum = product + c;
    const double back = sum - product;
    const double error = (product - (sum - back)) + (c - back);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    if (!std::isfinite(sum) || error == 0 || bits & 1)
        return sum;
    return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

uint32_t fma_pair(Narrow type, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t pair = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        const double sum = multiply_add(value_of(type, static_cast<uint16_t>(a >> shift)),
                                        value_of(type, static_cast<uint16_t>(b >> shift)),
                                        value_of(type, static_cast<uint16_t>(c >> shift)));
        pair |= static_cast<uint32_t>(round_to(type, sum)) << shift;
    }
    return pair;
}

} // namespace emulation
