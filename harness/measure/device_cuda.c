/* A GPU as a device: memory of its own, the stopwatch of device_cuda_clock.c, one stream.
 *
 * Opened by steps of which each may fail; closing gives back what was acquired, whatever that is.
 * Only the CUDA runtime is called, linked statically: a program with it starts without a driver.
 */
#include "harness/base/format.h"
#include "harness/measure/device_cuda_internal.h"
#include "harness/measure/placement.h"
#include "harness/measure/team.h"
#include "kernels/cuda/flush.h"
#include "kernels/kernels.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double CLOCK_TICK_SECONDS = 0.5e-6; /* of events: CUDA Runtime API, 5.5 */
static const double MOST_SECONDS = 60;
enum { BLOCKS_PER_MULTIPROCESSOR = 8, STAGING_ELEMENTS = 128 << 10, CACHES_PER_FLUSH = 2 };
static const uint32_t FLUSH_WORD = 0x3f9d70a4;

void *device_cuda_stream(const struct device *device)
{
    return ((const struct cuda *)device->self)->stream;
}

const struct cuda_grid *device_cuda_grid(const struct device *device)
{
    return &((const struct cuda *)device->self)->grid;
}

/* ---- Opening. */

/* The first call that needs the device: here it is seen that another process holds it. */
static enum status enter(struct cuda *cuda)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 0); /* see device_cuda_clock.c */
    cudaError_t error = cudaSetDevice(cuda->ordinal);
    if (error != cudaSuccess)
        return device_cuda_refused(cuda, (int)error, "cudaSetDevice");
    error = cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking);
    if (error != cudaSuccess) {
        cuda->stream = NULL;
        return device_cuda_refused(cuda, (int)error, "cudaStreamCreateWithFlags");
    }
    return STATUS_OK;
}

static enum status acquire(struct device *d)
{
    struct cuda *cuda = d->self;
    void *signals = NULL, *on_device = NULL;
    CUDA_TRY(d, cudaEventCreate(&cuda->started));
    CUDA_TRY(d, cudaEventCreate(&cuda->stopped));
    CUDA_TRY(d, cudaHostAlloc(&signals, sizeof(*cuda->signals), cudaHostAllocMapped));
    cuda->signals = memset(signals, 0, sizeof(*cuda->signals));
    CUDA_TRY(d, cudaHostGetDevicePointer(&on_device, signals, 0));
    cuda->signals_on_device = on_device;
    const cudaError_t error = cudaMalloc(&cuda->grid.scratch, CUDA_SCRATCH_BYTES);
    if (error == cudaErrorMemoryAllocation) /* the first of all: others have taken the rest */
        return device_cuda_refused(cuda, (int)error, "cudaMalloc");
    CUDA_TRY(d, error);
    CUDA_TRY(d, cudaMemsetAsync(cuda->grid.scratch, 0, CUDA_SCRATCH_BYTES, cuda->stream));
    return device_cuda_settle(d);
}

static enum status measure_memory(struct device *d)
{
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(d, cudaMemGetInfo(&free_bytes, &total_bytes));
    d->info.memory_bytes = (int64_t)free_bytes;
    return STATUS_OK;
}

static enum status open_team(struct device *d)
{
    struct placement placement;
    TRY(placement_choose(&placement));
    d->info.cpus[0] = placement.cpus[0]; /* the one that launches */
    return team_open(placement.cpus, placement.count, &d->team);
}

static double most_seconds(void)
{
    const char *text = getenv("RIDGE_KERNEL_SECONDS");
    const double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : MOST_SECONDS;
}

static enum status prepare(struct device *d)
{
    struct cuda *cuda = d->self;
    TRY(device_cuda_describe(d));
    TRY(enter(cuda));
    TRY(acquire(d));
    TRY(measure_memory(d));
    cuda->grid.multiprocessors = d->info.multiprocessors;
    cuda->grid.blocks_per_multiprocessor = BLOCKS_PER_MULTIPROCESSOR;
    return open_team(d);
}

/* The driver's own clean-up would wait, too: runs before it, as what is registered last. */
static void leave_at_once(int exit_code, void *unused)
{
    (void)unused;
    fflush(NULL);
    _exit(exit_code);
}

/* What waits for the device must not be called where something on it hangs. */
static void release(struct cuda *cuda)
{
    if (cuda->is_hung) {
        on_exit(leave_at_once, NULL);
        return;
    }
    if (cuda->flushed)
        cudaFree(cuda->flushed);
    if (cuda->grid.scratch)
        cudaFree(cuda->grid.scratch);
    if (cuda->signals)
        cudaFreeHost(cuda->signals);
    if (cuda->stopped)
        cudaEventDestroy(cuda->stopped);
    if (cuda->started)
        cudaEventDestroy(cuda->started);
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
}

static void cuda_close(struct device *d)
{
    struct cuda *cuda = d->self;
    if (cuda->signals && !cuda->is_lost)
        device_cuda_settle(d);
    release(cuda);
    if (d->team)
        team_close(d->team);
    free(cuda);
}

static enum status cuda_open(struct device *d, const struct device_options *options)
{
    int ordinal = 0;
    TRY(device_cuda_find(options->name, &ordinal));
    struct cuda *cuda = calloc(1, sizeof(*cuda));
    if (!cuda)
        return FAIL(STATUS_NO_MEMORY, "no memory for device %s", options->name);
    cuda->ordinal = ordinal;
    cuda->most_seconds = most_seconds();
    cuda->latch_works = device_cuda_latch_obstacle() == NULL;
    d->self = cuda;
    d->kernels = &cuda_kernels;
    snprintf(d->info.name, sizeof(d->info.name), "cuda:%d", ordinal);
    d->info.source = cuda_runtime_source;
    d->info.thread_count = 1;
    snprintf(d->info.thread_reason, sizeof(d->info.thread_reason), "the whole device is one");
    d->info.clock_resolution_seconds = CLOCK_TICK_SECONDS;
    d->info.staging_elements = STAGING_ELEMENTS;
    enum status status = prepare(d);
    if (status != STATUS_OK)
        cuda_close(d);
    return status;
}

/* ---- Memory. The current device belongs to the thread, and threads of the team copy, too. */

static enum status cuda_alloc(struct device *d, size_t size_bytes, void **buffer)
{
    char size[32];
    TRY(device_cuda_settle(d));
    const cudaError_t error = cudaMalloc(buffer, size_bytes);
    if (error != cudaErrorMemoryAllocation)
        return device_cuda_check(d, (int)error, "cudaMalloc");
    char left[32];
    size_t free_bytes = 0, total_bytes = 0;
    cudaGetLastError();
    cudaMemGetInfo(&free_bytes, &total_bytes);
    return FAIL(STATUS_DEVICE,
                "cudaMalloc of %s on %s: out of memory (%d); %s are free: give smaller sizes",
                format_bytes((double)size_bytes, size, sizeof(size)), d->info.name, (int)error,
                format_bytes((double)free_bytes, left, sizeof(left)));
}

static void cuda_free(struct device *d, void *buffer, size_t size_bytes)
{
    struct cuda *cuda = d->self;
    (void)size_bytes;
    if (!cuda->is_lost)
        device_cuda_settle(d);
    if (!cuda->is_hung)
        cudaFree(buffer);
    cudaGetLastError();
}

static enum status cuda_copy(struct device *d, void *to, const void *from, size_t size_bytes)
{
    struct cuda *cuda = d->self;
    CUDA_TRY(d, cudaSetDevice(cuda->ordinal));
    TRY(device_cuda_settle(d));
    CUDA_TRY(d, cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDefault, cuda->stream));
    return device_cuda_settle(d);
}

static double cuda_huge_fraction(struct device *d, const void *buffer, size_t size_bytes)
{
    (void)d, (void)buffer, (void)size_bytes;
    return -1;
}

/* Twice the L2, or less where the memory is full of the case's own arrays, which then do it. */
static enum status cuda_flush(struct device *d)
{
    struct cuda *cuda = d->self;
    const int64_t bytes = CACHES_PER_FLUSH * levels_last_bytes(&d->info.levels) / 16 * 16;
    if (!cuda->flushed)
        TRY(cuda_alloc(d, (size_t)bytes, &cuda->flushed));
    const int error =
        cuda_flush_caches(cuda->flushed, bytes, FLUSH_WORD, &cuda->grid, cuda->stream);
    return device_cuda_launched(d, error, "flush", (double)bytes);
}

/* ---- What only the device knows. */

static double cuda_core_clock_hz(struct device *d)
{
    return ((const struct cuda *)d->self)->core_clock_hz;
}

static uint32_t cuda_flags(const struct device *d)
{
    return ((const struct cuda *)d->self)->was_unlatched ? FLAG_no_latch : 0;
}

static bool cuda_is_lost(const struct device *d)
{
    return ((const struct cuda *)d->self)->is_lost;
}

const struct backend cuda_backend = {
    .prefix = "cuda",
    .list = device_cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .upload = cuda_copy,
    .download = cuda_copy,
    .huge_fraction = cuda_huge_fraction,
    .clock_start = device_cuda_clock_start,
    .clock_stop = device_cuda_clock_stop,
    .core_clock_hz = cuda_core_clock_hz,
    .finish = device_cuda_settle,
    .computes_apart = true,
    .clocks_samples = true,
    .flush = cuda_flush,
    .flags = cuda_flags,
    .is_lost = cuda_is_lost,
};
