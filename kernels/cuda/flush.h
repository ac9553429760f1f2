/* Cold caches: overwrites a buffer larger than the L2, so that nothing of before is left in it. */
#pragma once

#include "harness/base/c_api.h"
#include "kernels/cuda/grid.h"

#include <stdint.h>

C_API_BEGIN

/* Queues on `stream` (a cudaStream_t) a kernel that writes `bytes` bytes (a multiple of 16) of
 * `buffer`, device memory aligned to 16 bytes; twice the L2's size is safe. Every 4-byte word
 * becomes `word`. A cudaError_t as int. */
int cuda_flush_caches(void *buffer, int64_t bytes, uint32_t word, const struct cuda_grid *grid,
                      void *stream);

C_API_END
