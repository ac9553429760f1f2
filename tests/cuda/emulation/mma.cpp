/* mma of the types that matrix.cpp does not have. Where a fragment's registers lie: PTX ISA,
 * section "Matrix Fragments for mma.m*n*k*", as kernels/cuda/mma.cuh sums it up. Products and sums
 * of small whole numbers are exact; how a Tensor Core rounds others is not documented. */
#include "tests/cuda/emulation/mma_emulation.h"
#include "tests/cuda/emulation/warp.h"

namespace emulation
{

enum { M = 16, N = 8, MOST_DEPTH = 32, MOST_THREADS = 1024, A_REGISTERS = 4, B_REGISTERS = 2 };

/* What a lane brings; by its number in the block. */
struct Operands {
    unsigned char a[32], b[16], d[32];
};

static Operands operands[MOST_THREADS];

struct Facts {
    unsigned elements; /* in a register */
    size_t register_bytes, d_bytes;
};

static Facts facts_of(MmaType type)
{
    switch (type) {
    case MmaType::f64: return {1, 8, 32};
    case MmaType::tf32: return {1, 4, 16};
    case MmaType::f16_sums: return {2, 4, 8};
    default: return {4, 4, 16};
    }
}

float f16_value(uint16_t bits)
{
    return static_cast<float>(value_of(Narrow::f16, bits));
}

/* e5m2 is f16 without its last 8 bits; e4m3 has no infinity, and one NaN per sign. */
float fp8_value(MmaType type, uint8_t bits)
{
    if (type == MmaType::e5m2)
        return f16_value(static_cast<uint16_t>(bits << 8));
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    if (exponent == 15 && fraction == 7)
        return NAN;
    const double magnitude =
        exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    return static_cast<float>(bits & 0x80 ? -magnitude : magnitude);
}

static double element_of(MmaType type, const unsigned char *fragment, unsigned index)
{
    uint16_t half;
    uint32_t word;
    double value;
    switch (type) {
    case MmaType::f64: memcpy(&value, fragment + 8 * index, sizeof(value)); return value;
    case MmaType::tf32: {
        float rounded;
        memcpy(&word, fragment + 4 * index, sizeof(word));
        word &= ~0x1fffu;
        memcpy(&rounded, &word, sizeof(rounded));
        return rounded;
    }
    case MmaType::f16_sums:
        memcpy(&half, fragment + 2 * index, sizeof(half));
        return f16_value(half);
    case MmaType::int8: return static_cast<int8_t>(fragment[index]);
    default: return fp8_value(type, fragment[index]);
    }
}

struct Matrices {
    double a[M][MOST_DEPTH], b[N][MOST_DEPTH]; /* B by columns */
};

static void gather(MmaType type, unsigned first_thread, Matrices &matrices)
{
    const unsigned e = facts_of(type).elements;
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        const Operands &given = operands[first_thread + lane];
        const unsigned group = lane / 4, place = lane % 4 * e;
        for (unsigned r = 0; r < A_REGISTERS; r++)
            for (unsigned i = 0; i < e; i++)
                matrices.a[group + r % 2 * 8][place + r / 2 * 4 * e + i] =
                    element_of(type, given.a, r * e + i);
        for (unsigned r = 0; r < B_REGISTERS; r++)
            for (unsigned i = 0; i < e; i++)
                matrices.b[group][place + r * 4 * e + i] = element_of(type, given.b, r * e + i);
    }
}

template <class T>
static void add(unsigned char *at, double sum)
{
    T value;
    memcpy(&value, at, sizeof(value));
    value = static_cast<T>(value + static_cast<T>(sum));
    memcpy(at, &value, sizeof(value));
}

static void add_to(MmaType type, unsigned char *d, unsigned number, double sum)
{
    uint32_t word;
    uint16_t half;
    switch (type) {
    case MmaType::f64: add<double>(d + 8 * number, sum); break;
    case MmaType::int8: /* modulo 2^32 */
        memcpy(&word, d + 4 * number, sizeof(word));
        word += static_cast<uint32_t>(static_cast<int64_t>(sum));
        memcpy(d + 4 * number, &word, sizeof(word));
        break;
    case MmaType::f16_sums:
        memcpy(&half, d + 2 * number, sizeof(half));
        half = round_to(Narrow::f16, value_of(Narrow::f16, half) + sum);
        memcpy(d + 2 * number, &half, sizeof(half));
        break;
    default: add<float>(d + 4 * number, sum); break;
    }
}

static void multiply(MmaType type, unsigned first_thread)
{
    static Matrices matrices;
    const unsigned depth = 8 * facts_of(type).elements;
    gather(type, first_thread, matrices);
    for (unsigned lane = 0; lane < warp_lanes; lane++)
        for (unsigned i = 0; i < 4; i++) {
            const double *a = matrices.a[lane / 4 + i / 2 * 8];
            const double *b = matrices.b[lane % 4 * 2 + i % 2];
            double sum = 0;
            for (unsigned k = 0; k < depth; k++)
                sum += a[k] * b[k];
            add_to(type, operands[first_thread + lane].d, i, sum);
        }
    counters.matrix_multiplies++;
}

void multiply_fragments(MmaType type, void *d, const void *a, const void *b, Site site)
{
    const Facts facts = facts_of(type);
    const unsigned thread = self()->linear, first_thread = self()->warp * warp_lanes;
    memcpy(operands[thread].a, a, A_REGISTERS * facts.register_bytes);
    memcpy(operands[thread].b, b, B_REGISTERS * facts.register_bytes);
    memcpy(operands[thread].d, d, facts.d_bytes);
    meet(WarpOperation::mma, 0xffffffffu, site, [=](Fiber *const *, unsigned mask) {
        if (mask != 0xffffffffu)
            fail("mma needs a whole warp", site);
        multiply(type, first_thread);
    });
    memcpy(d, operands[thread].d, facts.d_bytes);
}

} // namespace emulation
