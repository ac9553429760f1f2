/* The intensity ladder on a GPU: what the C side of the cuda backend calls.
 *
 * The rules are those of intensity.h, with these words: a part (there: a thread's) is one block of
 * CUDA_BLOCK_THREADS threads; a value vector is 16 contiguous bytes of each of them, thread t at
 * byte 16 t, 4 KiB in all; its lanes are the elements in it; there are four chains, so that a block
 * of values is 16 KiB for every type. Each type is multiplied and summed in itself:
 *
 *     f32, f64    acc <- acc r + v, r = 1 - 2^-20                FFMA, DFMA
 *     f16, bf16   acc <- acc r + v, r = 1/2, two per instruction HFMA2; 1/2 forgets, so that sums
 *                 stay below 2 |v| and rounding errors do not add up
 *     int32       acc <- acc r + v modulo 2^32, r = 3            IMAD
 *
 * bf16 needs compute capability 8.0; below that it is skipped by whoever chooses the cases.
 */
#pragma once

#include "harness/base/c_api.h"
#include "kernels/cuda/grid.h"
#include "kernels/intensity/intensity.h"

#include <stdbool.h>

enum intensity_cuda_type {
    INTENSITY_CUDA_F32,
    INTENSITY_CUDA_F64,
    INTENSITY_CUDA_F16,
    INTENSITY_CUDA_BF16,
    INTENSITY_CUDA_INT32,
    INTENSITY_CUDA_TYPE_COUNT
};

enum {
    INTENSITY_CUDA_CHAINS = 4,
    INTENSITY_CUDA_VECTOR_BYTES = 16 * CUDA_BLOCK_THREADS,
    INTENSITY_CUDA_BLOCK_BYTES = INTENSITY_CUDA_CHAINS * INTENSITY_CUDA_VECTOR_BYTES,
    INTENSITY_CUDA_OUT_BYTES = INTENSITY_CUDA_BLOCK_BYTES, /* per part: chain-major, then lane */
};

/* common: count is a multiple of parts x the elements of a block of values; each part has the same
 * number of them. common.type is not read. a and out are device memory aligned to 16 bytes. */
struct intensity_cuda_args {
    struct intensity_args common;
    enum intensity_cuda_type type;
    int64_t parts; /* blocks of the grid */
    /* Each part is one chunk, which is copied into shared memory once per launch; every unit walks
     * it from there. chunk_blocks x 16 KiB must fit a block's shared memory (64 to 227 KiB). */
    bool from_shared;
};

C_API_BEGIN

/* Queues units first_unit .. first_unit + unit_count - 1 of every part as one kernel on `stream`
 * (a cudaStream_t); a cudaError_t as int: 0, or cudaErrorInvalidValue for arguments that break the
 * rules above, or what the launch says. */
int intensity_cuda_0_reference(const struct intensity_cuda_args *args, int64_t first_unit,
                               int64_t unit_count, void *stream);
int intensity_cuda_1_chains(const struct intensity_cuda_args *args, int64_t first_unit,
                            int64_t unit_count, void *stream);

C_API_END
