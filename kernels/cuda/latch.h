/* A kernel that holds a stream until the host lets go, so that everything behind it is queued
 * before the first of it runs, and no launch is timed that came late. */
#pragma once

#include "harness/base/c_api.h"

#include <stdint.h>

enum cuda_latch_outcome {
    CUDA_LATCH_WAITING,  /* what the host writes before the launch */
    CUDA_LATCH_OPENED,   /* the host opened it */
    CUDA_LATCH_TIMED_OUT /* it did not within the time: what is behind ran too early */
};

/* Mapped host memory (cudaHostAllocMapped), by one of the two. */
struct cuda_latch {
    uint32_t open;    /* host: from 0 to 1 lets go */
    uint32_t outcome; /* device: enum cuda_latch_outcome */
};

C_API_BEGIN

/* Queues the latch on `stream` (a cudaStream_t); `latch` is its address on the device. Waits at
 * most timeout_ns nanoseconds of the GPU's global timer, so that a host that died, or launches
 * that block (CUDA_LAUNCH_BLOCKING, a profiler), cannot hang the device. A cudaError_t as int. */
int cuda_latch_hold(struct cuda_latch *latch, uint64_t timeout_ns, void *stream);

C_API_END
