/* The gemm ladder on a GPU: what the C side of the cuda backend calls.
 *
 * Each function queues one product of gemm.h (all matrices of the batch; any m, n, k) on `stream`
 * (a cudaStream_t) and returns a cudaError_t as int: 0, or cudaErrorInvalidValue for a type that
 * the rung does not have or more blocks than a grid can hold, or what the launch says. Matrices are
 * device memory aligned to 16 bytes (cudaMalloc: 256); the workspace is not used.
 *
 *     rung              types
 *     0 naive           f32 f64 f16 bf16 int8
 *     1 coalesced       the same
 *     2 shared          the same
 *     3 registers       f32 f64
 *     4 mma             f16 bf16 tf32 int8 f64, as gemm_cuda_mma_supports says
 *
 * f16 and bf16 are summed in f32. tf32 is f32 in memory; the mma rung rounds each element to a
 * fraction of 10 bits, to nearest, ties away from zero, and sums in f32.
 */
#pragma once

#include "harness/base/c_api.h"
#include "kernels/cuda/grid.h"
#include "kernels/gemm/gemm.h"

#include <stdbool.h>

/* What the mma rung takes for a shape: a block's part of C, the depth of one stage, in elements. */
struct gemm_cuda_tile {
    int m, n, k;
    int threads, stages, shared_bytes;
    bool is_aligned; /* rows of A and B begin at multiples of 16 bytes; else elements one by one */
};

C_API_BEGIN

int gemm_cuda_0_naive(const struct gemm_args *args, const struct cuda_grid *grid, void *stream);
int gemm_cuda_1_coalesced(const struct gemm_args *args, const struct cuda_grid *grid, void *stream);
int gemm_cuda_2_shared(const struct gemm_args *args, const struct cuda_grid *grid, void *stream);
int gemm_cuda_3_registers(const struct gemm_args *args, const struct cuda_grid *grid, void *stream);
int gemm_cuda_4_mma(const struct gemm_args *args, const struct cuda_grid *grid, void *stream);

/* Has this compute capability (75, 80, .. 120) a Tensor Core instruction for the type that is not
 * taken apart into others? f64: 8.0, 9.0 and 10.0; bf16 and tf32 from 8.0 on. */
bool gemm_cuda_mma_supports(enum gemm_type type, int capability);

/* The tile that gemm_cuda_4_mma tries first; false for a type that the rung does not have. A device
 * without that much shared memory takes a smaller one. */
bool gemm_cuda_mma_tile(const struct gemm_args *args, const struct cuda_grid *grid,
                        struct gemm_cuda_tile *tile);

/* The peers, NVIDIA's libraries: cuBLAS for all types but fp8, cuBLASLt for all but e5m2. Both are
 * gemm_cuda_9_absent.c's where the build lacks their headers. */
extern const struct kernel gemm_cuda_cublas, gemm_cuda_cublaslt;

C_API_END
