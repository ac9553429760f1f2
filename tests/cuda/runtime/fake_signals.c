/* The two kernels that only a GPU can run, as the fake runtime's stream sees them: a latch that is
 * closed until the host opens it, and stamps of a GPU that runs at 1.5 GHz. */
#include "tests/cuda/runtime/fake_signals.h"

#include "harness/base/clock.h"
#include "harness/measure/device_cuda_internal.h"
#include "tests/cuda/runtime/fake.h"

static const double CLOCK_HZ = 1.5e9;

const enum source cuda_runtime_source = SOURCE_emulated;
const char *const cuda_built_architectures = "75-real 80-real 86-real 89-real 90-real 100-real 120";

int cuda_latch_hold(struct cuda_latch *latch, uint64_t timeout_ns, void *stream)
{
    (void)timeout_ns, (void)stream;
    const cudaError_t error = fake_call("cuda_latch_hold", cudaSuccess);
    if (error == cudaSuccess)
        fake_close_latch(latch);
    return (int)error;
}

int cuda_clock_stamp_write(struct cuda_clock_stamp *stamp, void *stream)
{
    (void)stream;
    const double now_seconds = clock_seconds();
    *stamp = (struct cuda_clock_stamp){.cycles = (uint64_t)(now_seconds * CLOCK_HZ),
                                       .nanoseconds = (uint64_t)(now_seconds * 1e9)};
    return (int)fake_call("cuda_clock_stamp_write", cudaSuccess);
}
