/* Chains of mma.sync: each warp holds TENSOR_CUDA_CHAINS accumulators, A for each and one B, in
 * registers; a round of ROUND steps is written out, so that a loop's three instructions come after
 * 64 mma. An mma waits for the one before it in its chain (some 18 to 33 cycles); with 8 chains and
 * two warps on a quarter of a multiprocessor 15 others are between the two.
 *
 * Traffic: none but the result. What limits it: how often the Tensor Core takes an mma.sync. */
#include "kernels/cuda/mma.cuh"
#include "kernels/intensity/tensor_cuda.h"

enum { CHAINS = TENSOR_CUDA_CHAINS, ROUND = 8, A_REGISTERS = 4, B_REGISTERS = 2 };

/* A type: elements in a register of A and B, the bits of 1 and of the sign, how D lies in registers
 * and in memory, and the step. */
template <tensor_cuda_type type_, class D_, class Word_, int elements_, uint32_t one_,
          uint32_t sign_>
struct tensor_type {
    using number = D_; /* of D, in memory */
    using word = Word_;
    static constexpr tensor_cuda_type type = type_;
    static constexpr int elements = elements_, depth = 8 * elements_;
    static constexpr bool is_f16_sums = type == TENSOR_CUDA_F16_SUMS;
    static constexpr bool alternates =
        is_f16_sums || type == TENSOR_CUDA_E4M3 || type == TENSOR_CUDA_E5M2;
    static constexpr int bits = 32 / elements_;
    using sums = number[4];

    PORT_METHOD word encode(int value) /* of the lowest element */
    {
        return value < 0 ? one_ ^ sign_ : value > 0 ? one_ : 0u;
    }
};

#define TENSOR_TYPE(name, type, D, elements, one, sign, is_here_, step)                            \
    struct name : tensor_type<type, D, uint32_t, elements, one, sign> {                            \
        static constexpr bool is_here = is_here_;                                                  \
        PORT_METHOD void multiply(D (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])       \
        {                                                                                          \
            step(d, a, b);                                                                         \
        }                                                                                          \
    }

TENSOR_TYPE(tensor_tf32, TENSOR_CUDA_TF32, float, 1, 0x3f800000u, 0x80000000u, CUDA_HAS_MMA_TF32,
            mma_tf32_m16n8k8);
TENSOR_TYPE(tensor_f16, TENSOR_CUDA_F16, float, 2, 0x3c00u, 0x8000u, true, mma_f16_m16n8k16);
TENSOR_TYPE(tensor_bf16, TENSOR_CUDA_BF16, float, 2, 0x3f80u, 0x8000u, CUDA_HAS_MMA_BF16,
            mma_bf16_m16n8k16);
TENSOR_TYPE(tensor_int8, TENSOR_CUDA_INT8, int32_t, 4, 0x01u, 0xfeu, true, mma_int8_m16n8k32);
TENSOR_TYPE(tensor_e4m3, TENSOR_CUDA_E4M3, float, 4, 0x38u, 0x80u, CUDA_HAS_MMA_FP8,
            mma_e4m3_m16n8k32);
TENSOR_TYPE(tensor_e5m2, TENSOR_CUDA_E5M2, float, 4, 0x3cu, 0x80u, CUDA_HAS_MMA_FP8,
            mma_e5m2_m16n8k32);

struct tensor_f16_sums
    : tensor_type<TENSOR_CUDA_F16_SUMS, uint16_t, uint32_t, 2, 0x3c00u, 0x8000u> {
    using sums = uint32_t[2];
    static constexpr bool is_here = true;
    PORT_METHOD void multiply(uint32_t (&d)[2], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_f16_sums_m16n8k16(d, a, b);
    }
};

struct tensor_f64 : tensor_type<TENSOR_CUDA_F64, double, double, 1, 0u, 0u> {
    static constexpr bool is_here = CUDA_HAS_MMA_F64;
    PORT_METHOD double encode(int value)
    {
        return value;
    }
    PORT_METHOD void multiply(double (&d)[4], const double (&a)[4], const double (&b)[2])
    {
        mma_f64_m16n8k8(d, a, b);
    }
};

/* tensor_cuda_value, on the device. */
PORT_DEVICE int value_at(uint32_t seed, uint32_t warp, uint32_t chain, uint32_t index)
{
    uint32_t x = seed + ((warp * (CHAINS + 1) + chain) << 9) + index;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return static_cast<int>((x ^ x >> 16) % 3) - 1;
}

/* `elements` values that lie `stride` apart, from the lowest bits on; negative: the opposite ones.
 */
template <class Type>
PORT_DEVICE typename Type::word make_word(uint32_t seed, uint32_t warp, uint32_t chain, int index,
                                          int stride, bool is_negative)
{
    typename Type::word word = 0;
    CUDA_UNROLL
    for (int i = 0; i < Type::elements; i++) {
        const int value = value_at(seed, warp, chain, static_cast<uint32_t>(index + i * stride));
        const auto element = Type::encode(is_negative ? -value : value);
        if constexpr (Type::elements == 1)
            word = element;
        else
            word |= element << (Type::bits * i);
    }
    return word;
}

template <class Type>
struct tensor_operands {
    typename Type::word a[CHAINS][A_REGISTERS];
    typename Type::word b[B_REGISTERS], minus_b[B_REGISTERS]; /* the second if it alternates */
};

template <class Type>
PORT_DEVICE void make_operands(tensor_operands<Type> &to, uint32_t seed, uint32_t warp)
{
    constexpr int e = Type::elements;
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++)
        CUDA_UNROLL
    for (int r = 0; r < A_REGISTERS; r++)
        to.a[chain][r] =
            make_word<Type>(seed, warp, static_cast<uint32_t>(chain),
                            (g + r % 2 * 8) * Type::depth + e * t + r / 2 * 4 * e, 1, false);
    CUDA_UNROLL
    for (int r = 0; r < B_REGISTERS; r++) {
        const int index = (e * t + r * 4 * e) * TENSOR_CUDA_N + g;
        to.b[r] = make_word<Type>(seed, warp, CHAINS, index, TENSOR_CUDA_N, false);
        to.minus_b[r] = make_word<Type>(seed, warp, CHAINS, index, TENSOR_CUDA_N, true);
    }
}

template <class Type>
PORT_DEVICE void step(typename Type::sums (&d)[CHAINS], const tensor_operands<Type> &operands,
                      bool is_odd)
{
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++) {
        if (Type::alternates && is_odd)
            Type::multiply(d[chain], operands.a[chain], operands.minus_b);
        else
            Type::multiply(d[chain], operands.a[chain], operands.b);
    }
}

template <class Type>
PORT_DEVICE void store(const typename Type::sums (&d)[CHAINS], typename Type::number *out)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++)
        CUDA_UNROLL
    for (int i = 0; i < 4; i++) {
        const int row = g + i / 2 * 8, column = 2 * t + i % 2;
        typename Type::number &to = out[(chain * TENSOR_CUDA_M + row) * TENSOR_CUDA_N + column];
        if constexpr (Type::is_f16_sums)
            to = static_cast<uint16_t>(d[chain][i / 2] >> (16 * (i % 2)));
        else
            to = d[chain][i];
    }
}

template <class Type>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS)
    tensor_chains(void *out, int steps, uint32_t seed)
{
    if constexpr (!Type::is_here) {
        trap();
    } else {
        const uint32_t warp = blockIdx.x * TENSOR_CUDA_WARPS + threadIdx.x / 32;
        tensor_operands<Type> operands;
        make_operands(operands, seed, warp);
        typename Type::sums d[CHAINS] = {};
        CUDA_NO_UNROLL
        for (int round = 0; round < steps / ROUND; round++)
            CUDA_UNROLL
        for (int i = 0; i < ROUND; i++)
            step(d, operands, i % 2);
        CUDA_NO_UNROLL
        for (int i = 0; i < steps % ROUND; i++)
            step(d, operands, i % 2);
        store<Type>(d, static_cast<typename Type::number *>(out) +
                           static_cast<int64_t>(warp) * CHAINS * TENSOR_CUDA_M * TENSOR_CUDA_N);
    }
}

template <class Type>
static int launch(const struct tensor_cuda_args *args, void *stream)
{
    CUDA_LAUNCH(tensor_chains<Type>, static_cast<unsigned>(args->blocks), CUDA_BLOCK_THREADS, 0,
                stream, args->out, static_cast<int>(args->steps), args->seed);
    return CUDA_LAUNCH_ERROR();
}

int tensor_cuda_1_chains(const struct tensor_cuda_args *args, void *stream)
{
    if (args->blocks < 1 || args->blocks > 0x7fffffff || args->steps < 1 ||
        args->steps > TENSOR_CUDA_MOST_STEPS)
        return CUDA_INVALID_VALUE;
    switch (args->type) {
    case TENSOR_CUDA_F64: return launch<tensor_f64>(args, stream);
    case TENSOR_CUDA_TF32: return launch<tensor_tf32>(args, stream);
    case TENSOR_CUDA_F16: return launch<tensor_f16>(args, stream);
    case TENSOR_CUDA_F16_SUMS: return launch<tensor_f16_sums>(args, stream);
    case TENSOR_CUDA_BF16: return launch<tensor_bf16>(args, stream);
    case TENSOR_CUDA_INT8: return launch<tensor_int8>(args, stream);
    case TENSOR_CUDA_E4M3: return launch<tensor_e4m3>(args, stream);
    case TENSOR_CUDA_E5M2: return launch<tensor_e5m2>(args, stream);
    default: return CUDA_INVALID_VALUE;
    }
}

bool tensor_cuda_supports(enum tensor_cuda_type type, int capability)
{
    switch (type) {
    case TENSOR_CUDA_F64: return capability == 80 || capability == 90 || capability == 100;
    case TENSOR_CUDA_TF32:
    case TENSOR_CUDA_BF16: return capability >= 80;
    case TENSOR_CUDA_E4M3:
    case TENSOR_CUDA_E5M2: return capability == 89 || capability == 120;
    case TENSOR_CUDA_F16:
    case TENSOR_CUDA_F16_SUMS:
    case TENSOR_CUDA_INT8: return capability >= 75;
    default: return false;
    }
}
