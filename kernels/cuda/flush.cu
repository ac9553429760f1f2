/* Empties the caches of what is useful by filling them with what is not: flush.h. Plain stores: the
 * L2 keeps their lines, and writes older ones back. */
#include "kernels/cuda/flush.h"
#include "kernels/cuda/port.cuh"

static __global__ void fill(uint4 *buffer, int64_t vectors, uint32_t word)
{
    const uint4 value = {word, word, word, word};
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < vectors;
         i += threads)
        store16(buffer + i, value);
}

int cuda_flush_caches(void *buffer, int64_t bytes, uint32_t word, const struct cuda_grid *grid,
                      void *stream)
{
    const int blocks = grid->multiprocessors * grid->blocks_per_multiprocessor;
    if (blocks < 1 || bytes < 16 || bytes % 16 != 0)
        return CUDA_INVALID_VALUE;
    CUDA_LAUNCH(fill, static_cast<unsigned>(blocks), CUDA_BLOCK_THREADS, 0, stream,
                static_cast<uint4 *>(buffer), bytes / 16, word);
    return CUDA_LAUNCH_ERROR();
}
