/* Writes down both clocks of the GPU: clock_stamp.h says what for. The two are read back to back;
 * the global timer advances in steps of up to 1 us, so that stamps a millisecond apart tell the
 * clock within 0.1 %.
 *
 * The emulation has a clock of 2 GHz and one multiprocessor. A check on a GPU: two stamps around a
 * kernel of 10 ms agree in the multiprocessor, and their clock lies between the least and the
 * greatest that nvidia-smi -q -d CLOCK names. */
#include "kernels/cuda/clock_stamp.h"
#include "kernels/cuda/port.cuh"

static __global__ void write_stamp(struct cuda_clock_stamp *stamp)
{
    stamp->cycles = clock_cycles();
    stamp->nanoseconds = global_timer_ns();
    stamp->multiprocessor = multiprocessor_id();
    __threadfence_system();
}

int cuda_clock_stamp_write(struct cuda_clock_stamp *stamp, void *stream)
{
    CUDA_LAUNCH(write_stamp, 1, 1, 0, stream, stamp);
    return CUDA_LAUNCH_ERROR();
}
