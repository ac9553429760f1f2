/* Which GPUs there are, which of them this build can use, and why not the others. */
#include "harness/measure/device_cuda_internal.h"

#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "cuda:";

static enum status no_driver(int error)
{
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
        return FAIL(STATUS_SKIP,
                    "no NVIDIA driver on this machine; with a GPU, install one and look at "
                    "nvidia-smi");
    return FAIL(STATUS_SKIP,
                "the NVIDIA driver is too old: it knows CUDA %d.%d, this build needs %d.%d (error "
                "%d); update the driver, or build with an older CUDA",
                driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, error);
}

/* `error` of cudaGetDeviceCount, or success with a count of 0. */
static enum status no_device(int error)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cudaGetLastError();
    switch (error) {
    case cudaErrorInsufficientDriver: return no_driver(error);
    case cudaSuccess:
    case cudaErrorNoDevice:
        if (visible)
            return FAIL(STATUS_SKIP,
                        "no GPU is left: CUDA_VISIBLE_DEVICES='%s' hides all; unset it, or name "
                        "one that nvidia-smi -L shows",
                        visible);
        return FAIL(STATUS_SKIP, "no NVIDIA GPU on this machine, or none that this user may open; "
                                 "nvidia-smi -L tells");
    case cudaErrorSystemNotReady:
        return FAIL(STATUS_SKIP,
                    "the GPUs are not ready (error %d): on a machine with NVSwitch "
                    "start nvidia-fabricmanager",
                    error);
    case cudaErrorSystemDriverMismatch:
        return FAIL(STATUS_SKIP,
                    "the driver's kernel module and library differ (error %d): reboot after "
                    "driver updates",
                    error);
    default:
        return FAIL(STATUS_SKIP, "the NVIDIA driver does not answer: %s (%d); look at nvidia-smi",
                    cudaGetErrorString((cudaError_t)error), error);
    }
}

static enum status count_devices(int *count)
{
    *count = 0; /* the runtime leaves it as it was where it fails */
    const cudaError_t error = cudaGetDeviceCount(count);
    return error == cudaSuccess && *count > 0 ? STATUS_OK : no_device((int)error);
}

/* No GPU at all, or no driver for it, which nobody hides. */
static bool is_absent(void)
{
    int driver = 0, count = 0;
    cudaDriverGetVersion(&driver);
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError();
    return driver == 0 || (!getenv("CUDA_VISIBLE_DEVICES") &&
                           (error == cudaSuccess || error == cudaErrorNoDevice));
}

static enum status find_by_bus(const char *name, const char *bus, int *ordinal)
{
    if (cudaDeviceGetByPCIBusId(ordinal, bus) == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError();
    return FAIL(STATUS_SKIP,
                "no device %s: no GPU that this process sees has that PCI bus id; "
                "nvidia-smi -L and nvidia-smi -q tell them",
                name);
}

enum status device_cuda_find(const char *name, int *ordinal)
{
    int count;
    const char *bus = strncmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : "0";
    const bool is_number = strspn(bus, "0123456789") == strlen(bus);
    const bool is_bus = strspn(bus, "0123456789abcdefABCDEF:.") == strlen(bus) && strchr(bus, ':');
    if (!*bus || strlen(bus) > 20 || (!is_number && !is_bus))
        return FAIL(STATUS_BAD_ARGUMENT,
                    "'%s' names no device: write cuda:0, or a PCI bus id as in cuda:0000:17:00.0",
                    name);
    TRY(count_devices(&count));
    if (is_bus)
        return find_by_bus(name, bus, ordinal);
    const long number = strtol(bus, NULL, 10);
    if (number >= count && count == 1)
        return FAIL(STATUS_SKIP, "no device %s: this process sees one GPU, cuda:0", name);
    if (number >= count)
        return FAIL(STATUS_SKIP, "no device %s: this process sees %d GPUs, cuda:0 to cuda:%d", name,
                    count, count - 1);
    *ordinal = (int)number;
    return STATUS_OK;
}

void device_cuda_list(device_visit visit, void *arg)
{
    int count = 0;
    struct device_finding none = {.name = "cuda"};
    if (count_devices(&count) != STATUS_OK) {
        snprintf(none.reason, sizeof(none.reason), "%s", error_message());
        none.is_absent = is_absent();
        visit(arg, &none);
        return;
    }
    for (int i = 0; i < count; i++) {
        struct device_finding finding = {0};
        snprintf(finding.name, sizeof(finding.name), "cuda:%d", i);
        enum status status =
            device_cuda_facts(i, finding.model, sizeof(finding.model), &finding.facts);
        device_cuda_more_facts(i, &finding.facts);
        if (status == STATUS_OK)
            status = device_cuda_fits(cuda_built_architectures, finding.facts.capability);
        if (status != STATUS_OK)
            snprintf(finding.reason, sizeof(finding.reason), "%s", error_message());
        visit(arg, &finding);
    }
}

enum status device_cuda_refused(const struct cuda *cuda, int error, const char *call)
{
    const int name = (int)strcspn(call, "(");
    cudaGetLastError();
    if (error == cudaErrorDevicesUnavailable)
        return FAIL(STATUS_SKIP,
                    "cuda:%d is held by another process in exclusive mode, or closed to compute "
                    "(error %d); nvidia-smi shows who, nvidia-smi -c DEFAULT shares it",
                    cuda->ordinal, error);
    if (error == cudaErrorMemoryAllocation)
        return FAIL(STATUS_SKIP,
                    "all memory of cuda:%d is taken by other processes (%.*s: out of memory, %d); "
                    "nvidia-smi shows by whom",
                    cuda->ordinal, name, call, error);
    return FAIL(STATUS_DEVICE, "%.*s on cuda:%d: %s (%d)", name, call, cuda->ordinal,
                cudaGetErrorString((cudaError_t)error), error);
}
