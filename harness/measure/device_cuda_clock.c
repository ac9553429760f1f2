/* The stopwatch of a GPU: events around the work, behind a latch.
 *
 *     latch | stamp, event | the work | event, stamp      then the host opens the latch
 *
 * The latch is a kernel that holds the stream until all of this is queued, so that no launch is
 * timed that came late. The two stamps read cycles and nanoseconds: their quotient is the clock of
 * the multiprocessors during this very sample.
 *
 * Nothing that waits for the GPU may happen behind a closed latch. The one thing that does so
 * unasked is the loading of a kernel at its first launch: modules are therefore loaded whole when
 * the device is opened (CUDA_MODULE_LOADING=EAGER, device_cuda.c), every case has run once to be
 * checked before it is timed (runner.c), and if something waits all the same, the latch opens by
 * itself after its time-out, is not used again, and the points are flagged no_latch.
 */
#include "harness/base/clock.h"
#include "harness/measure/device_cuda_internal.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t LATCH_TIMEOUT_NS = 2000000000;
static const double FEWEST_STAMPED_NS = 20e3; /* the global timer steps by up to 1 us */
static const double SPIN_SECONDS = 2e-3;      /* then the host sleeps between looks */
static const struct timespec NAP = {.tv_nsec = 50000};

/* Where kernels run one by one under a tool, or each launch waits for its end, a latch would only
 * ever time out. By the beginnings of the names that the tools set. */
const char *device_cuda_latch_obstacle(void)
{
    static const char *const names[] = {"CUDA_INJECTION",
                                        "NV_COMPUTE_SANITIZER",
                                        "NV_SANITIZER",
                                        "NV_COMPUTE_PROFILER",
                                        "NV_NSIGHT",
                                        "NV_TPS_LAUNCH_TOKEN",
                                        "CUDA_ENABLE_COREDUMP_ON_EXCEPTION"};
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking && strcmp(blocking, "0") != 0)
        return "CUDA_LAUNCH_BLOCKING";
    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (strncmp(*variable, names[i], strlen(names[i])) == 0)
                return names[i];
    return NULL;
}

static void open_latch(struct cuda *cuda)
{
    __atomic_store_n(&cuda->signals->latch.open, 1, __ATOMIC_RELEASE);
}

static enum status give_up(struct device *d)
{
    struct cuda *cuda = d->self;
    cuda->is_lost = cuda->is_hung = true;
    if (!cuda->work[0])
        return FAIL(STATUS_DEVICE,
                    "%s did not finish in %g s what opened it; it is lost to this process",
                    d->info.name, cuda->most_seconds);
    return FAIL(STATUS_DEVICE,
                "kernel %s on %s did not finish in %g s; the device is lost to this process",
                cuda->work, d->info.name, cuda->most_seconds);
}

/* Waits with a deadline, which no waiting call of the runtime has. */
enum status device_cuda_settle(struct device *d)
{
    struct cuda *cuda = d->self;
    const double started_seconds = clock_seconds();
    open_latch(cuda);
    for (;;) {
        const cudaError_t error = cudaStreamQuery(cuda->stream);
        const double waited_seconds = clock_seconds() - started_seconds;
        if (error != cudaErrorNotReady)
            return device_cuda_check(d, (int)error, "cudaStreamQuery");
        cudaGetLastError(); /* "not ready" is remembered as an error, and is none */
        if (waited_seconds > cuda->most_seconds)
            return give_up(d);
        if (waited_seconds > SPIN_SECONDS)
            nanosleep(&NAP, NULL);
    }
}

static enum status close_latch(struct device *d)
{
    struct cuda *cuda = d->self;
    cuda->queued = 0;
    cuda->is_latched = cuda->latch_works;
    if (!cuda->is_latched)
        return STATUS_OK;
    cuda->signals->latch = (struct cuda_latch){.outcome = CUDA_LATCH_WAITING};
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    CUDA_TRY(d, cuda_latch_hold(&cuda->signals_on_device->latch, LATCH_TIMEOUT_NS, cuda->stream));
    return STATUS_OK;
}

enum status device_cuda_clock_start(struct device *d)
{
    struct cuda *cuda = d->self;
    TRY(device_cuda_settle(d));
    TRY(close_latch(d));
    CUDA_TRY(d, cuda_clock_stamp_write(&cuda->signals_on_device->before, cuda->stream));
    CUDA_TRY(d, cudaEventRecord(cuda->started, cuda->stream));
    return STATUS_OK;
}

static double stamped_clock_hz(const struct cuda_signals *signals)
{
    const struct cuda_clock_stamp *before = &signals->before, *after = &signals->after;
    const double nanoseconds = (double)(after->nanoseconds - before->nanoseconds);
    if (before->multiprocessor != after->multiprocessor || nanoseconds < FEWEST_STAMPED_NS)
        return 0;
    return 1e9 * (double)(after->cycles - before->cycles) / nanoseconds;
}

enum status device_cuda_clock_stop(struct device *d, double *elapsed_seconds)
{
    struct cuda *cuda = d->self;
    float elapsed_milliseconds = 0;
    CUDA_TRY(d, cudaEventRecord(cuda->stopped, cuda->stream));
    CUDA_TRY(d, cuda_clock_stamp_write(&cuda->signals_on_device->after, cuda->stream));
    TRY(device_cuda_settle(d));
    CUDA_TRY(d, cudaEventElapsedTime(&elapsed_milliseconds, cuda->started, cuda->stopped));
    *elapsed_seconds = 1e-3 * (double)elapsed_milliseconds;
    cuda->core_clock_hz = stamped_clock_hz(cuda->signals);
    if (cuda->is_latched && cuda->signals->latch.outcome != CUDA_LATCH_OPENED)
        cuda->latch_works = cuda->is_latched = false;
    cuda->was_unlatched |= !cuda->is_latched;
    return STATUS_OK;
}
