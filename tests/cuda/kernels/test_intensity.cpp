/* The intensity rungs of the GPU, by emulation: every type, number of multiply-adds and way of
 * reading, unit by unit, against stepping each chain in double (int32: in 32 bits). */
#include "tests/cuda/kernels/trial.h"

#include "kernels/intensity/intensity_cuda.h"
#include "tests/cuda/emulation/emulation.h"

#include <cmath>

using Launch = int (*)(const struct intensity_cuda_args *, int64_t, int64_t, void *);

static const struct {
    const char *name;
    size_t bytes;
    double r, half_step; /* of the type's rounding; int32 is exact */
} types[] = {{"f32", 4, 1 - 1.0 / (1 << 20), 0x1p-24},
             {"f64", 8, 1 - 1.0 / (1 << 20), 0x1p-53},
             {"f16", 2, 0.5, 0x1p-11},
             {"bf16", 2, 0.5, 0x1p-8},
             {"int32", 4, 3, 0}};

/* Bits of a small number in each type; bf16 and f16 hold these values exactly. */
static void put(unsigned char *at, int type, double value)
{
    const float narrow = static_cast<float>(value);
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    const int32_t whole = static_cast<int32_t>(value);
    const uint16_t upper = static_cast<uint16_t>(bits >> 16);
    const uint16_t half =
        value == 0 ? 0
                   : static_cast<uint16_t>((bits >> 16 & 0x8000) |
                                           ((((bits >> 23) & 255) - 112) << 10) |
                                           (bits >> 13 & 1023));
    switch (type) {
    case INTENSITY_CUDA_F32: memcpy(at, &narrow, 4); break;
    case INTENSITY_CUDA_F64: memcpy(at, &value, 8); break;
    case INTENSITY_CUDA_F16: memcpy(at, &half, 2); break;
    case INTENSITY_CUDA_BF16: memcpy(at, &upper, 2); break;
    default: memcpy(at, &whole, 4);
    }
}

static double get(const unsigned char *at, int type)
{
    float narrow;
    double wide;
    uint16_t half;
    int32_t whole;
    uint32_t bits;
    switch (type) {
    case INTENSITY_CUDA_F32: memcpy(&narrow, at, 4); return static_cast<double>(narrow);
    case INTENSITY_CUDA_F64: memcpy(&wide, at, 8); return wide;
    case INTENSITY_CUDA_INT32: memcpy(&whole, at, 4); return whole;
    case INTENSITY_CUDA_BF16:
        memcpy(&half, at, 2);
        bits = static_cast<uint32_t>(half) << 16;
        memcpy(&narrow, &bits, 4);
        return static_cast<double>(narrow);
    default:
        memcpy(&half, at, 2);
        const int exponent = half >> 10 & 31, fraction = half & 1023;
        if (exponent == 31)
            return NAN;
        const double size =
            exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
        return half & 0x8000 ? -size : size;
    }
}

static double value_of(int type, uint64_t index)
{
    const double v = scattered(index);
    return type == INTENSITY_CUDA_INT32 ? std::floor(v * 1000)
           : types[type].r == 0.5       ? std::floor(v * 8) / 8
                                        : v;
}

struct Case {
    int type;
    int64_t fmas, chunk_blocks, part_blocks, parts;
    bool from_shared;
};

/* Chain of value vector number w for its k-th use: (w m + k) mod chains, as intensity.h says. */
static double step_all(const Case &c, int64_t part, int64_t unit, int64_t chain, int64_t lane)
{
    const int64_t lanes = INTENSITY_CUDA_VECTOR_BYTES / static_cast<int64_t>(types[c.type].bytes);
    const int64_t chunks = (c.part_blocks + c.chunk_blocks - 1) / c.chunk_blocks;
    const int64_t first = unit % chunks * c.chunk_blocks;
    const int64_t last =
        first + c.chunk_blocks < c.part_blocks ? first + c.chunk_blocks : c.part_blocks;
    double sum = 0;
    uint32_t whole = 0;
    int64_t vector = 0;
    for (int64_t block = first; block < last; block++)
        for (int64_t v = 0; v < INTENSITY_CUDA_CHAINS; v++, vector++) {
            const int64_t at =
                ((part * c.part_blocks + block) * INTENSITY_CUDA_CHAINS + v) * lanes + lane;
            const double value = value_of(c.type, static_cast<uint64_t>(at));
            for (int64_t k = 0; k < c.fmas; k++) {
                /* For m >= 4 uses come in whole groups of four chains. */
                const int64_t use = c.fmas >= 4 ? k % 4 : vector * c.fmas + k;
                if (use % INTENSITY_CUDA_CHAINS != chain)
                    continue;
                sum = sum * types[c.type].r + value;
                whole = whole * 3 + static_cast<uint32_t>(static_cast<int32_t>(value));
            }
        }
    return c.type == INTENSITY_CUDA_INT32 ? static_cast<int32_t>(whole) : sum;
}

static bool check_out(const char *rung, const Case &c, int64_t unit, const unsigned char *out)
{
    const size_t bytes = types[c.type].bytes;
    const int64_t lanes = INTENSITY_CUDA_VECTOR_BYTES / static_cast<int64_t>(bytes);
    const double steps = static_cast<double>(c.fmas * c.chunk_blocks);
    for (int64_t part = 0; part < c.parts; part++)
        for (int64_t chain = 0; chain < INTENSITY_CUDA_CHAINS; chain++)
            for (int64_t lane = 0; lane < lanes; lane += lane < 9 ? 1 : 37) {
                const double want = step_all(c, part, unit, chain, lane);
                const double got = get(out + part * INTENSITY_CUDA_OUT_BYTES +
                                           static_cast<size_t>(chain * lanes + lane) * bytes,
                                       c.type);
                const double most = types[c.type].half_step * 4 * steps * std::fmax(1, std::fabs(want));
                const double half = types[c.type].half_step * 8;
                if (std::fabs(got - want) <= (types[c.type].r == 0.5 ? half : most))
                    continue;
                fprintf(stderr, "%s %s m=%ld unit %ld part %ld chain %ld lane %ld: %g, not %g\n",
                        rung, types[c.type].name, static_cast<long>(c.fmas), static_cast<long>(unit),
                        static_cast<long>(part), static_cast<long>(chain), static_cast<long>(lane),
                        got, want);
                return false;
            }
    return true;
}

static bool check(const char *rung, Launch launch, const Case &c)
{
    const size_t bytes = static_cast<size_t>(c.parts * c.part_blocks) * INTENSITY_CUDA_BLOCK_BYTES;
    const size_t size = types[c.type].bytes;
    Array<unsigned char> a(bytes);
    for (size_t i = 0; i < bytes / size; i++)
        put(a.data() + i * size, c.type, value_of(c.type, i));
    const int64_t chunks = (c.part_blocks + c.chunk_blocks - 1) / c.chunk_blocks;
    const int64_t pairs[][2] = {{0, 1}, {chunks - 1, 1}, {0, chunks + 1}};
    for (const auto &units : pairs) {
        Array<unsigned char> out(static_cast<size_t>(c.parts) * INTENSITY_CUDA_OUT_BYTES);
        struct intensity_cuda_args args = {};
        args.common.fmas = c.fmas;
        args.common.count = static_cast<int64_t>(bytes / size);
        args.common.chunk_blocks = c.chunk_blocks;
        args.common.r = types[c.type].r;
        args.common.a = a.data();
        args.common.out = out.data();
        args.type = static_cast<enum intensity_cuda_type>(c.type);
        args.parts = c.parts;
        args.from_shared = c.from_shared;
        if (launch(&args, units[0], units[1], nullptr) != 0) {
            fprintf(stderr, "%s refuses %s m=%ld\n", rung, types[c.type].name,
                    static_cast<long>(c.fmas));
            return false;
        }
        if (!check_out(rung, c, units[0] + units[1] - 1, out.data()))
            return false;
        if (!a.margins_are_whole() || !out.margins_are_whole()) {
            fprintf(stderr, "%s writes beside its arrays\n", rung);
            return false;
        }
        if (c.from_shared && emulation::counters.shared_conflicts != 0) {
            fprintf(stderr, "%s has bank conflicts\n", rung);
            return false;
        }
    }
    return true;
}

static bool check_type(const char *rung, Launch launch, int type)
{
    /* Half types are emulated slowly; their loops are those of the others. */
    const bool is_half = types[type].r == 0.5;
    bool is_right = true;
    for (const int64_t fmas : {1, 2, 4, 8, 32}) {
        is_right = check(rung, launch, {type, fmas, 2, 3, 2, false}) && is_right;
        is_right = check(rung, launch, {type, fmas, 2, 2, 1, true}) && is_right;
    }
    if (is_half)
        return check(rung, launch, {type, 64, 1, 1, 1, false}) && is_right;
    return check(rung, launch, {type, 128, 1, 2, 2, false}) &&
           check(rung, launch, {type, 4096, 1, 1, 1, false}) && is_right;
}

template <int type>
static bool reference()
{
    return check_type("reference", intensity_cuda_0_reference, type);
}

template <int type>
static bool chains()
{
    return check_type("chains", intensity_cuda_1_chains, type);
}

static bool nonsense_is_refused()
{
    Array<unsigned char> a(INTENSITY_CUDA_BLOCK_BYTES), out(INTENSITY_CUDA_OUT_BYTES);
    struct intensity_cuda_args args = {};
    args.common.fmas = 3; /* no rung of the ladder */
    args.common.count = INTENSITY_CUDA_BLOCK_BYTES / 4;
    args.common.chunk_blocks = 1;
    args.common.a = a.data();
    args.common.out = out.data();
    args.parts = 1;
    bool is_refused = intensity_cuda_1_chains(&args, 0, 1, nullptr) != 0;
    args.common.fmas = 4;
    args.common.count = 100; /* no whole blocks */
    return intensity_cuda_1_chains(&args, 0, 1, nullptr) != 0 && is_refused;
}

int main(int argc, char **argv)
{
    return run_tests({{"reference_f32", reference<INTENSITY_CUDA_F32>},
                      {"reference_f64", reference<INTENSITY_CUDA_F64>},
                      {"reference_f16", reference<INTENSITY_CUDA_F16>},
                      {"reference_bf16", reference<INTENSITY_CUDA_BF16>},
                      {"reference_int32", reference<INTENSITY_CUDA_INT32>},
                      {"chains_f32", chains<INTENSITY_CUDA_F32>},
                      {"chains_f64", chains<INTENSITY_CUDA_F64>},
                      {"chains_f16", chains<INTENSITY_CUDA_F16>},
                      {"chains_bf16", chains<INTENSITY_CUDA_BF16>},
                      {"chains_int32", chains<INTENSITY_CUDA_INT32>},
                      {"nonsense", nonsense_is_refused}},
                     argc - 1, argv + 1);
}
