/* Holds a stream: latch.h says why. One thread polls mapped host memory across the bus, about once
 * a microsecond, and watches the time.
 *
 * The emulation runs it with the flag set, and with a time that passes; that the device sees what
 * the host writes while it polls is for a check on a GPU: queue the latch and a kernel, see that
 * the stream is busy (cudaStreamQuery) after 10 ms, open, and see outcome CUDA_LATCH_OPENED; then
 * once without opening, and see CUDA_LATCH_TIMED_OUT after timeout_ns. */
#include "kernels/cuda/latch.h"
#include "kernels/cuda/port.cuh"

static __global__ void hold(volatile struct cuda_latch *latch, uint64_t timeout_ns)
{
    const uint64_t begin_ns = global_timer_ns();
    while (!latch->open)
        if (global_timer_ns() - begin_ns > timeout_ns) {
            latch->outcome = CUDA_LATCH_TIMED_OUT;
            __threadfence_system();
            return;
        }
    latch->outcome = CUDA_LATCH_OPENED;
    __threadfence_system();
}

int cuda_latch_hold(struct cuda_latch *latch, uint64_t timeout_ns, void *stream)
{
    CUDA_LAUNCH(hold, 1, 1, 0, stream, latch, timeout_ns);
    return CUDA_LAUNCH_ERROR();
}
