/* Two stamps around work give the clock at which the multiprocessors ran during it: cycles per
 * nanosecond of the global timer. */
#pragma once

#include "harness/base/c_api.h"

#include <stdint.h>

struct cuda_clock_stamp {
    uint64_t cycles;         /* clock64 of the multiprocessor that wrote the stamp */
    uint64_t nanoseconds;    /* globaltimer: steps of 32 ns to 1 us, by the GPU */
    uint32_t multiprocessor; /* %smid: two stamps compare only if they agree in it, since every
                                multiprocessor counts its own cycles */
};

C_API_BEGIN

/* Queues a kernel of one thread on `stream` (a cudaStream_t) that writes *stamp, device memory or
 * mapped host memory by its device address. A cudaError_t as int. */
int cuda_clock_stamp_write(struct cuda_clock_stamp *stamp, void *stream);

C_API_END
