/* Errors of the CUDA runtime as sentences, and whether the device survived them. */
#include "harness/base/format.h"
#include "harness/measure/device_cuda_internal.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <string.h>

/* A kernel that failed leaves an error that every later call returns: then this process can do
 * nothing more on the device, and only a new one can. A call that cannot fail otherwise tells. */
static bool is_sticky(void)
{
    size_t free_bytes, total_bytes;
    cudaGetLastError(); /* of an error that is not sticky this is the end */
    return cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess;
}

enum status device_cuda_check(struct device *d, int error, const char *call)
{
    struct cuda *cuda = d->self;
    const int name = (int)strcspn(call, "(");
    const char *text = cudaGetErrorString((cudaError_t)error);
    if (error == cudaSuccess)
        return STATUS_OK;
    if (!is_sticky())
        return FAIL(STATUS_DEVICE, "%.*s on %s: %s (%d)", name, call, d->info.name, text, error);
    cuda->is_lost = true;
    if (!cuda->work[0])
        return FAIL(STATUS_DEVICE, "%.*s on %s: %s (%d); the device is lost to this process", name,
                    call, d->info.name, text, error);
    return FAIL(STATUS_DEVICE,
                "kernel %s on %s: %s (%d), seen by %.*s; the device is lost to this process",
                cuda->work, d->info.name, text, error, name, call);
}

enum status device_cuda_launched(struct device *d, int error, const char *what, double bytes)
{
    enum { MOST_QUEUED = 512 };
    struct cuda *cuda = d->self;
    char size[32];
    snprintf(cuda->work, sizeof(cuda->work), "%.60s of %s", what,
             format_bytes(bytes, size, sizeof(size)));
    if (error != cudaSuccess)
        return device_cuda_check(d, error, cuda->work);
    /* The queue of a stream is finite (1024 at the time of writing), and a launch that waits for
     * room behind a closed latch would wait for ever. So many are a head start that lasts. */
    if (++cuda->queued == MOST_QUEUED)
        __atomic_store_n(&cuda->signals->latch.open, 1, __ATOMIC_RELEASE);
    return STATUS_OK;
}
