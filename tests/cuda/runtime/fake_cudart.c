/* The functions of the CUDA runtime that the device calls, on host memory. */
#include "harness/base/clock.h"
#include "tests/cuda/runtime/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small GPU, so that "four times the last cache" is quick to emulate. */
enum { MULTIPROCESSORS = 2, SHARED_BYTES = 24 << 10, L2_BYTES = 64 << 10, FIRST_BUS = 0x17 };
enum { CLOCK_KHZ = 1500000, MEMORY_CLOCK_KHZ = 2000000, MEMORY_BUS_BITS = 256 };
static const size_t MEMORY_BYTES = 64 << 20;

static size_t memory_bytes(void)
{
    return (size_t)fake_script("memory", (long)MEMORY_BYTES);
}

static int device_count(void)
{
    return (int)fake_script("devices", 1);
}

static bool has_driver(void)
{
    return fake_script("driver", CUDART_VERSION) >= CUDART_VERSION / 1000 * 1000;
}

static cudaError_t device_error(int device)
{
    return !has_driver()                            ? cudaErrorInsufficientDriver
           : device < 0 || device >= device_count() ? cudaErrorInvalidDevice
                                                    : cudaSuccess;
}

/* What the first call that needs the device says. */
static cudaError_t entry_error(void)
{
    return !has_driver()                 ? cudaErrorInsufficientDriver
           : fake_script("exclusive", 0) ? cudaErrorDevicesUnavailable
           : fake_script("full", 0)      ? cudaErrorMemoryAllocation
                                         : cudaSuccess;
}

/* ---- Which GPUs there are. */

cudaError_t cudaGetDeviceCount(int *count)
{
    const cudaError_t error = fake_call(__func__, !has_driver()     ? cudaErrorInsufficientDriver
                                                  : !device_count() ? cudaErrorNoDevice
                                                                    : cudaSuccess);
    if (error == cudaSuccess) /* else it stays as it was */
        *count = device_count();
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = (int)fake_script("driver", CUDART_VERSION);
    return fake_call(__func__, cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return fake_call(__func__, cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    memset(properties, 0xff, sizeof(*properties)); /* nothing but these two may be read */
    properties->totalGlobalMem = memory_bytes();
    snprintf(properties->name, sizeof(properties->name), "fake GPU%s (emulated: no measurement)",
             fake_script("mig", 0) ? " MIG 1g.10gb" : "");
    return fake_call("cudaGetDeviceProperties", device_error(device));
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    snprintf(text, (size_t)size, "0000:%02X:00.0", FIRST_BUS + device);
    return fake_call(__func__, device_error(device));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    unsigned domain = 0, bus = 0, slot = 0;
    const bool is_read = sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3;
    const int found = (int)bus - FIRST_BUS;
    const cudaError_t error =
        fake_call(__func__, is_read ? device_error(found) : cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *device = found;
    return error;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    const int capability = (int)fake_script("capability", 90);
    cudaError_t error = device_error(device);
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = capability % 10; break;
    case cudaDevAttrMultiProcessorCount: *value = MULTIPROCESSORS; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = SHARED_BYTES; break;
    case cudaDevAttrL2CacheSize: *value = L2_BYTES; break;
    case cudaDevAttrClockRate: *value = CLOCK_KHZ; break;
    case cudaDevAttrMemoryClockRate: *value = MEMORY_CLOCK_KHZ; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = MEMORY_BUS_BITS; break;
    case cudaDevAttrEccEnabled: *value = 1; break;
    default: error = cudaErrorInvalidValue;
    }
    return fake_call(__func__, error);
}

cudaError_t cudaSetDevice(int device)
{
    const cudaError_t error = device_error(device);
    return fake_call(__func__, error ? error : entry_error());
}

/* ---- Memory. */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_bytes();
    *free_bytes = *total_bytes - fake_memory_used();
    return fake_call(__func__, cudaSuccess);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    const bool fits = bytes <= memory_bytes() - fake_memory_used();
    const cudaError_t error =
        fake_waiting_call(__func__, fits ? cudaSuccess : cudaErrorMemoryAllocation);
    if (error == cudaSuccess)
        *memory = fake_acquire(FAKE_MEMORY, bytes);
    return error;
}

/* What is freed is freed even where the call reports the failure of something before it. */
cudaError_t cudaFree(void *memory)
{
    const bool is_known = fake_give_back(FAKE_MEMORY, memory);
    return fake_waiting_call(__func__, is_known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    const bool is_mapped = flags == cudaHostAllocMapped;
    const cudaError_t error =
        fake_waiting_call(__func__, is_mapped ? cudaSuccess : cudaErrorInvalidValue);
    if (error == cudaSuccess)
        *memory = fake_acquire(FAKE_HOST_MEMORY, bytes);
    return error;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    const cudaError_t error = fake_call(__func__, flags ? cudaErrorInvalidValue : cudaSuccess);
    if (error == cudaSuccess)
        *device = host;
    return error;
}

cudaError_t cudaFreeHost(void *memory)
{
    const bool is_known = fake_give_back(FAKE_HOST_MEMORY, memory);
    return fake_waiting_call(__func__, is_known ? cudaSuccess : cudaErrorInvalidValue);
}

/* From and to pageable memory the real one may wait, so it counts as waiting. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    const cudaError_t error = fake_waiting_call(__func__, cudaSuccess);
    if (error == cudaSuccess)
        memcpy(to, from, bytes);
    return error;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    const cudaError_t error = fake_call(__func__, cudaSuccess);
    if (error == cudaSuccess)
        memset(memory, value, bytes);
    return error;
}

/* ---- The stream and its events. */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    const cudaError_t error = fake_call(__func__, entry_error());
    if (error == cudaSuccess)
        *stream = fake_acquire(FAKE_STREAM, 1);
    return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const bool is_known = stream && fake_give_back(FAKE_STREAM, stream);
    return fake_call(__func__, is_known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return fake_query(__func__);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    const cudaError_t error = fake_call(__func__, cudaSuccess);
    if (error == cudaSuccess)
        *event = fake_acquire(FAKE_EVENT, sizeof(double));
    return error;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const bool is_known = event && fake_give_back(FAKE_EVENT, event);
    return fake_call(__func__, is_known ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    const double now_seconds = clock_seconds();
    memcpy((void *)event, &now_seconds, sizeof(now_seconds));
    return fake_call(__func__, cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    double from_seconds, to_seconds;
    memcpy(&from_seconds, (const void *)from, sizeof(from_seconds));
    memcpy(&to_seconds, (const void *)to, sizeof(to_seconds));
    const cudaError_t error = fake_waiting_call("cudaEventElapsedTime", cudaSuccess);
    if (error == cudaSuccess)
        *milliseconds = (float)(1e3 * (to_seconds - from_seconds));
    return error;
}

/* ---- Errors. */

cudaError_t cudaGetLastError(void)
{
    return fake_last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return fake_last_error(false);
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorUnknown: return "unknown error";
    default: return "an error that the fake has no words for";
    }
}
