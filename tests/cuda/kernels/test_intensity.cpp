/* The intensity ladder, emulated: every type and m, from global and from shared memory, against the
 * definition in double (modulo 2^32 for int32). */
#include "kernels/intensity/intensity_cuda.h"
#include "tests/cuda/kernels/check.h"
#include "tests/cuda/emulation/emulation.h"

#include <cmath>
#include <vector>

enum { CHAINS = INTENSITY_CUDA_CHAINS, STREAM = 3 };

typedef int (*rung)(const struct intensity_cuda_args *, int64_t, int64_t, void *);

struct Shape {
    int64_t parts, blocks, chunk_blocks; /* blocks: of a part */
    int64_t first_unit, unit_count;
};

static const size_t element_bytes[] = {4, 8, 2, 2, 4};
static const double factors[] = {1 - 0x1p-20, 1 - 0x1p-20, 0.5, 0.5, 3};

/* Numbers that f16 and bf16 hold exactly: 7 bits. */
static double value_at(enum intensity_cuda_type type, size_t i)
{
    const int number = scatter(STREAM, i);
    switch (type) {
    case INTENSITY_CUDA_INT32: return number;
    case INTENSITY_CUDA_F16:
    case INTENSITY_CUDA_BF16: return number / 8 / 128.0;
    default: return number / 1024.0;
    }
}

/* f16 and bf16 by hand, for normal numbers: sign, exponent, fraction. */
static uint16_t encode(enum intensity_cuda_type type, double value)
{
    const bool is_f16 = type == INTENSITY_CUDA_F16;
    const int fraction_bits = is_f16 ? 10 : 7, bias = is_f16 ? 15 : 127;
    if (value == 0)
        return 0;
    int exponent;
    const double fraction = 2 * std::frexp(std::fabs(value), &exponent) - 1;
    const int steps = static_cast<int>(std::ldexp(fraction, fraction_bits));
    return static_cast<uint16_t>((value < 0) << 15 | (exponent - 1 + bias) << fraction_bits |
                                 steps);
}

static double decode(enum intensity_cuda_type type, uint16_t bits)
{
    const bool is_f16 = type == INTENSITY_CUDA_F16;
    const int fraction_bits = is_f16 ? 10 : 7, bias = is_f16 ? 15 : 127;
    const int exponent = (bits & 0x7fff) >> fraction_bits, ones = (1 << fraction_bits) - 1;
    const double magnitude = exponent == 0 ? std::ldexp(bits & ones, 1 - bias - fraction_bits)
                                           : std::ldexp((bits & ones) + (1 << fraction_bits),
                                                        exponent - bias - fraction_bits);
    return exponent == 2 * bias + 1 ? NAN : bits >> 15 ? -magnitude : magnitude;
}

static void put(enum intensity_cuda_type type, unsigned char *at, double value)
{
    const float narrow = static_cast<float>(value);
    const int32_t whole = static_cast<int32_t>(value);
    const uint16_t half = encode(type, value);
    switch (type) {
    case INTENSITY_CUDA_F32: memcpy(at, &narrow, 4); break;
    case INTENSITY_CUDA_F64: memcpy(at, &value, 8); break;
    case INTENSITY_CUDA_INT32: memcpy(at, &whole, 4); break;
    default: memcpy(at, &half, 2); break;
    }
}

static double get(enum intensity_cuda_type type, const unsigned char *at)
{
    float narrow;
    double wide;
    uint32_t whole;
    uint16_t half;
    switch (type) {
    case INTENSITY_CUDA_F32: memcpy(&narrow, at, 4); return static_cast<double>(narrow);
    case INTENSITY_CUDA_F64: memcpy(&wide, at, 8); return wide;
    case INTENSITY_CUDA_INT32: memcpy(&whole, at, 4); return whole;
    default: memcpy(&half, at, 2); return decode(type, half);
    }
}

/* What a lane's accumulator of each chain must be after a chunk; and how large it was at most. */
static void define(enum intensity_cuda_type type, int64_t m, size_t first, size_t lanes,
                   int64_t vectors, double (&acc)[CHAINS], double &largest)
{
    for (double &a : acc)
        a = 0;
    for (int64_t w = 0; w < vectors; w++) {
        const double v = value_at(type, first + static_cast<size_t>(w) * lanes);
        for (int64_t k = 0; k < m; k++) {
            double &a = acc[(w * m + k) % CHAINS];
            a = a * factors[type] + v;
            if (type == INTENSITY_CUDA_INT32)
                a -= std::floor(a * 0x1p-32) * 0x1p32;
            largest = std::fmax(largest, std::fabs(a));
        }
    }
}

/* Each step rounds by half a step of the accumulator; r = 1/2 halves what earlier steps erred. */
static double tolerance(enum intensity_cuda_type type, int64_t steps, double largest)
{
    static const double half_steps[] = {0x1p-24, 0x1p-53, 0x1p-11, 0x1p-8, 0};
    const bool forgets = type == INTENSITY_CUDA_F16 || type == INTENSITY_CUDA_BF16;
    return half_steps[type] * largest * (forgets ? 2 : static_cast<double>(steps));
}

static void check_part(const struct intensity_cuda_args &args, const Shape &shape, int64_t part,
                       const unsigned char *out)
{
    const size_t bytes = element_bytes[args.type], lanes = INTENSITY_CUDA_VECTOR_BYTES / bytes;
    const int64_t chunks = (shape.blocks + shape.chunk_blocks - 1) / shape.chunk_blocks;
    const int64_t begin = (shape.first_unit + shape.unit_count - 1) % chunks * shape.chunk_blocks;
    const int64_t end = std::min(begin + shape.chunk_blocks, shape.blocks);
    const int64_t vectors = (end - begin) * CHAINS;
    for (size_t lane = 0; lane < lanes; lane++) {
        const size_t first =
            static_cast<size_t>((part * shape.blocks + begin) * CHAINS) * lanes + lane;
        double acc[CHAINS], largest = 0;
        define(args.type, args.common.fmas, first, lanes, vectors, acc, largest);
        const double allowed = tolerance(args.type, vectors * args.common.fmas, largest);
        for (size_t chain = 0; chain < CHAINS; chain++) {
            const double is = get(args.type, out + (chain * lanes + lane) * bytes);
            expect(std::fabs(is - acc[chain]) <= allowed,
                   "type %d, m %ld, part %ld, chain %zu, lane %zu: %.9g, not %.9g", args.type,
                   static_cast<long>(args.common.fmas), static_cast<long>(part), chain, lane, is,
                   acc[chain]);
        }
    }
}

static void check_counters(const struct intensity_cuda_args &args, const Shape &shape, rung launch)
{
    const bool is_shared = args.from_shared && launch == intensity_cuda_1_chains;
    const int64_t vectors = is_shared ? shape.parts * shape.blocks * CHAINS : 0;
    const auto copies = static_cast<uint64_t>(vectors * CUDA_BLOCK_THREADS);
    const auto warps = static_cast<uint64_t>(vectors * shape.unit_count * CUDA_BLOCK_THREADS / 32);
    expect(emulation::counters.shared_conflicts == 0, "bank conflicts");
    expect(emulation::counters.async_copies == copies, "%lu copies into shared memory, not %lu",
           emulation::counters.async_copies, copies);
    expect(emulation::counters.shared_accesses == warps, "%lu reads of shared memory, not %lu",
           emulation::counters.shared_accesses, warps);
}

static void run(rung launch, enum intensity_cuda_type type, int64_t m, bool from_shared,
                const Shape &shape)
{
    const size_t bytes =
        static_cast<size_t>(shape.parts * shape.blocks) * INTENSITY_CUDA_BLOCK_BYTES;
    DeviceArray<unsigned char> a(bytes);
    DeviceArray<unsigned char> out(static_cast<size_t>(shape.parts) * INTENSITY_CUDA_OUT_BYTES);
    for (size_t i = 0; i < bytes / element_bytes[type]; i++)
        put(type, a.data() + i * element_bytes[type], value_at(type, i));
    struct intensity_cuda_args args = {};
    args.common.fmas = m;
    args.common.count = static_cast<int64_t>(bytes / element_bytes[type]);
    args.common.chunk_blocks = shape.chunk_blocks;
    args.common.r = factors[type];
    args.common.a = a.data();
    args.common.out = out.data();
    args.type = type;
    args.parts = shape.parts;
    args.from_shared = from_shared;
    expect(launch(&args, shape.first_unit, shape.unit_count, nullptr) == 0, "the launch failed");
    check_counters(args, shape, launch);
    for (int64_t part = 0; part < shape.parts; part++)
        check_part(args, shape, part,
                   out.data() + static_cast<size_t>(part) * INTENSITY_CUDA_OUT_BYTES);
}

static const enum intensity_cuda_type types[] = {INTENSITY_CUDA_F32, INTENSITY_CUDA_F64,
                                                 INTENSITY_CUDA_F16, INTENSITY_CUDA_BF16,
                                                 INTENSITY_CUDA_INT32};

static void run_every_m(rung launch, int64_t most)
{
    for (const auto type : types)
        for (int64_t m = 1; m <= most; m *= 2) {
            run(launch, type, m, false, {1, 1, 1, 0, 1});
            run(launch, type, m, true, {1, 1, 1, 0, 1});
        }
}

static void reference_is_the_definition()
{
    run_every_m(intensity_cuda_0_reference, 16);
}

static void chains_agree_for_every_m()
{
    run_every_m(intensity_cuda_1_chains, 128);
}

static void the_greatest_m_is_right()
{
    run(intensity_cuda_1_chains, INTENSITY_CUDA_F32, 4096, false, {1, 1, 1, 0, 1});
    run(intensity_cuda_1_chains, INTENSITY_CUDA_INT32, 4096, true, {1, 1, 1, 0, 1});
}

static void parts_chunks_and_units_are_those_asked_for()
{
    static const Shape shapes[] = {{1, 3, 2, 0, 1}, {2, 3, 2, 1, 1}, {3, 2, 1, 1, 2},
                                   {1, 3, 2, 3, 3}, {2, 2, 2, 5, 2}, {1, 2, 7, 0, 1}};
    for (const Shape &shape : shapes)
        for (const auto type : types) {
            run(intensity_cuda_0_reference, type, 2, false, shape);
            run(intensity_cuda_1_chains, type, 1, false, shape);
            run(intensity_cuda_1_chains, type, 2, false, shape);
            run(intensity_cuda_1_chains, type, 4, false, shape);
        }
}

static void shared_memory_serves_every_unit()
{
    static const Shape shapes[] = {
        {2, 3, 3, 0, 1}, {1, 2, 2, 1, 3}, {3, 1, 1, 0, 2}, {1, 14, 14, 0, 1}};
    for (const Shape &shape : shapes)
        for (const auto type : types)
            run(intensity_cuda_1_chains, type, 2, true, shape);
}

static void bad_arguments_are_refused()
{
    struct intensity_cuda_args good = {};
    DeviceArray<float> a(2 * 4096), out(4096);
    good.common.fmas = 4;
    good.common.count = 2 * 4096;
    good.common.chunk_blocks = 1;
    good.common.r = 0.5;
    good.common.a = a.data();
    good.common.out = out.data();
    good.parts = 1;
    struct intensity_cuda_args args[9] = {good, good, good, good, good, good, good, good, good};
    args[0].common.fmas = 3;
    args[1].common.fmas = 8192;
    args[2].common.count -= 4;
    args[3].common.chunk_blocks = 0;
    args[4].parts = 3;
    args[5].from_shared = true; /* two chunks */
    args[6].type = INTENSITY_CUDA_INT32;
    args[7].type = INTENSITY_CUDA_F16;
    args[7].common.count *= 2;
    args[7].common.r = 1 - 0x1p-20;
    args[8].type = INTENSITY_CUDA_TYPE_COUNT;
    for (int i = 0; i < 9; i++) {
        expect(intensity_cuda_1_chains(&args[i], 0, 1, nullptr) == 1, "case %d was taken", i);
        expect(intensity_cuda_0_reference(&args[i], 0, 1, nullptr) == 1, "case %d was taken", i);
    }
    expect(intensity_cuda_1_chains(&good, 0, 0, nullptr) == 1, "no unit was taken");
    struct intensity_cuda_args vast = good;
    DeviceArray<float> large(15 * 4096);
    vast.common.a = large.data();
    vast.common.count = 15 * 4096;
    vast.common.chunk_blocks = 15;
    vast.from_shared = true;
    expect(intensity_cuda_1_chains(&vast, 0, 1, nullptr) == 1, "240 KiB of shared memory");
}

int main()
{
    return run_tests({
        {"the reference is the definition", reference_is_the_definition},
        {"chains agree with the definition for every m", chains_agree_for_every_m},
        {"the greatest m is right", the_greatest_m_is_right},
        {"parts, chunks and units are those asked for", parts_chunks_and_units_are_those_asked_for},
        {"shared memory serves every unit, without conflicts", shared_memory_serves_every_unit},
        {"arguments that break the rules are refused", bad_arguments_are_refused},
    });
}
