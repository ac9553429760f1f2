/* Tensor Core chains: mma.sync on operands that never leave their registers. What they reach is the
 * throughput of mma.sync, which on 9.0 and 10.0 is not that of the Tensor Cores (wgmma and tcgen05
 * are), and on 10.0 far from it.
 *
 * Each warp of each block has TENSOR_CUDA_CHAINS products of its own: D += A B, 16 x 8, `steps`
 * times one after the other in each chain, with nothing between. Operations of a launch:
 *
 *     blocks x TENSOR_CUDA_WARPS x TENSOR_CUDA_CHAINS x steps x 2 x 16 x 8 x
 * tensor_cuda_depth(type)
 *
 * The operands are -1, 0 and 1, each a function of the seed and of its place, so that sums are
 * exact in every type:
 *
 *     A of a warp's chain c    tensor_cuda_value(seed, warp, c, row x depth + k)
 *     B of a warp              tensor_cuda_value(seed, warp, TENSOR_CUDA_CHAINS, k x 8 + column)
 *
 * with the warp counted through the blocks. D begins as 0 and then must be, element by element:
 *
 *     types that add up        steps x (A B)
 *     types that alternate     A B if steps is odd, 0 if it is even: every second product is
 *                              subtracted, for sums in f16 and the sums of fp8 have few bits. It
 * does not tell how many pairs of steps were done
 *
 * `out` is D by warp, chain, row and column: of double (f64), float (tf32, f16, bf16, fp8),
 * uint16_t holding f16 (f16_sums) or int32_t (int8).
 */
#pragma once

#include "harness/base/c_api.h"
#include "kernels/cuda/grid.h"

#include <stdbool.h>

enum tensor_cuda_type {
    TENSOR_CUDA_F64,
    TENSOR_CUDA_TF32,
    TENSOR_CUDA_F16,      /* sums in f32 */
    TENSOR_CUDA_F16_SUMS, /* sums in f16, too; alternates */
    TENSOR_CUDA_BF16,
    TENSOR_CUDA_INT8,
    TENSOR_CUDA_E4M3, /* fp8; alternates */
    TENSOR_CUDA_E5M2, /* fp8; alternates */
    TENSOR_CUDA_TYPE_COUNT
};

enum {
    TENSOR_CUDA_WARPS = CUDA_BLOCK_THREADS / 32,
    TENSOR_CUDA_CHAINS = 8,
    TENSOR_CUDA_M = 16,
    TENSOR_CUDA_N = 8,
    TENSOR_CUDA_MOST_STEPS = 1 << 17, /* sums of 16 products stay below 2^22 */
};

struct tensor_cuda_args {
    enum tensor_cuda_type type;
    int64_t blocks, steps; /* steps: at most TENSOR_CUDA_MOST_STEPS */
    uint32_t seed;
    void *out; /* blocks x TENSOR_CUDA_WARPS x TENSOR_CUDA_CHAINS x 16 x 8 sums */
};

C_API_BEGIN

/* Queues the chains on `stream` (a cudaStream_t); a cudaError_t as int: 0, or cudaErrorInvalidValue
 * for arguments that break the rules above, or what the launch says. */
int tensor_cuda_1_chains(const struct tensor_cuda_args *args, void *stream);

/* Has the compute capability (75 .. 120) one native instruction for it? fp8: 8.9 and 12.0 alone;
 * elsewhere the assembler makes steps in f16 of it, or there is none. */
bool tensor_cuda_supports(enum tensor_cuda_type type, int capability);

C_API_END

/* The depth of one product. */
static inline int tensor_cuda_depth(enum tensor_cuda_type type)
{
    static const int depths[TENSOR_CUDA_TYPE_COUNT] = {8, 8, 16, 16, 16, 32, 32, 32};
    return depths[type];
}

static inline bool tensor_cuda_alternates(enum tensor_cuda_type type)
{
    return type == TENSOR_CUDA_F16_SUMS || type == TENSOR_CUDA_E4M3 || type == TENSOR_CUDA_E5M2;
}

/* -1, 0 or 1; mixed by the finalizer of MurmurHash3. */
static inline int tensor_cuda_value(uint32_t seed, uint32_t warp, uint32_t chain, uint32_t index)
{
    uint32_t x = seed + ((warp * (TENSOR_CUDA_CHAINS + 1) + chain) << 9) + index;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (int)((x ^ x >> 16) % 3) - 1;
}

/* What D must hold at (row, column). */
static inline int64_t tensor_cuda_expected(const struct tensor_cuda_args *args, uint32_t warp,
                                           uint32_t chain, int row, int column)
{
    const int depth = tensor_cuda_depth(args->type);
    int64_t product = 0;
    for (int k = 0; k < depth; k++)
        product +=
            tensor_cuda_value(args->seed, warp, chain, (uint32_t)(row * depth + k)) *
            tensor_cuda_value(args->seed, warp, TENSOR_CUDA_CHAINS, (uint32_t)(k * 8 + column));
    return tensor_cuda_alternates(args->type) ? args->steps % 2 * product : args->steps * product;
}
