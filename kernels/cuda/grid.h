/* How wide a kernel is launched, and the device memory that blocks use to talk to one another.
 *
 * Grids are as large as what the device holds at once, and loop: so nothing is timed but the loop,
 * and a block does the same work in every pass.
 */
#pragma once

#include <stdint.h>

enum {
    CUDA_BLOCK_THREADS = 256, /* 8 warps: 8 such blocks fill a multiprocessor's 2048 threads */
    CUDA_SCRATCH_BYTES = 64 << 10,
    CUDA_SCRATCH_TICKET_BYTES = 256, /* at its beginning: counters; partial sums follow */
    CUDA_MOST_BLOCKS = (CUDA_SCRATCH_BYTES - CUDA_SCRATCH_TICKET_BYTES) / 8,
};

struct cuda_grid {
    int multiprocessors;           /* of the device (cudaDevAttrMultiProcessorCount) */
    int blocks_per_multiprocessor; /* of CUDA_BLOCK_THREADS threads each; usually 8 */
    /* Device memory, CUDA_SCRATCH_BYTES, zeroed once when it is allocated; kernels leave the
     * tickets zero. For one stream at a time. */
    void *scratch;
};
