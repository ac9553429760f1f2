/* The stream ladder on a GPU: what the C side of the cuda backend calls.
 *
 * Each function queues `passes` passes over the arrays as one kernel on `stream` (a cudaStream_t)
 * and returns a cudaError_t as int, 0 on success. Arrays are device memory, aligned to 16 bytes
 * (cudaMalloc: 256); any count is right. The whole grid is one thread in the sense of stream.h:
 * read leaves the sum of all elements in c[0], so that c has one element.
 *
 * All three do every operation, type and store. Non-temporal means here: loads and stores that ask
 * the caches to evict their lines first (ld.global.cs, st.global.cs); a GPU has no store that
 * passes its L2 by, and none that reads a line first: there is no write-allocate to add.
 */
#pragma once

#include "harness/base/c_api.h"
#include "kernels/cuda/grid.h"
#include "kernels/stream/stream.h"

C_API_BEGIN

int stream_cuda_0_scalar(const struct stream_args *args, const struct cuda_grid *grid,
                         int64_t passes, void *stream);
int stream_cuda_1_vector(const struct stream_args *args, const struct cuda_grid *grid,
                         int64_t passes, void *stream);
int stream_cuda_2_unrolled(const struct stream_args *args, const struct cuda_grid *grid,
                           int64_t passes, void *stream);

C_API_END
