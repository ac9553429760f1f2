/* What a GPU is: name, capability, multiprocessors, caches, clocks. By attributes, which CUDA 12
 * and 13 share; of the properties only the name and the memory, which all versions have. */
#include "harness/measure/device_cuda_internal.h"

#include <cuda_runtime_api.h>

#include <stdio.h>

static enum status failed(int ordinal, cudaError_t error, const char *call)
{
    cudaGetLastError();
    return FAIL(STATUS_DEVICE, "%s of cuda:%d: %s (%d)", call, ordinal, cudaGetErrorString(error),
                (int)error);
}

/* As the whole device is one thread in the sense of the benches, its private cache is the L1s of
 * all multiprocessors together. No attribute tells the size of an L1; it shares its memory with
 * shared memory, and what a kernel does not ask of that is cache: so it is at least as large as the
 * most that can be asked. */
static void describe_caches(struct device_facts *facts, int64_t l2_bytes)
{
    struct level *l1 = &facts->levels.level[0], *l2 = &facts->levels.level[1];
    snprintf(l1->name, sizeof(l1->name), "L1");
    l1->capacity_bytes = l1->claimed_bytes = facts->shared_bytes * facts->multiprocessors;
    snprintf(l2->name, sizeof(l2->name), "L2");
    l2->capacity_bytes = l2->claimed_bytes = l2_bytes;
    l2->shared = 1;
    facts->levels.count = 2;
}

static enum status ask_attributes(int ordinal, struct device_facts *facts)
{
    int major = 0, minor = 0, shared_bytes = 0, l2_bytes = 0;
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } asked[] = {
        {cudaDevAttrComputeCapabilityMajor, &major},
        {cudaDevAttrComputeCapabilityMinor, &minor},
        {cudaDevAttrMultiProcessorCount, &facts->multiprocessors},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared_bytes},
        {cudaDevAttrL2CacheSize, &l2_bytes},
    };
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        const cudaError_t error =
            cudaDeviceGetAttribute(asked[i].value, asked[i].attribute, ordinal);
        if (error != cudaSuccess)
            return failed(ordinal, error, "cudaDeviceGetAttribute");
    }
    if (facts->multiprocessors < 1 || shared_bytes < 1 || l2_bytes < 1)
        return FAIL(STATUS_DEVICE,
                    "cuda:%d says that it has %d multiprocessors, %d bytes of shared memory in "
                    "each and %d bytes of L2: the driver is not to be believed",
                    ordinal, facts->multiprocessors, shared_bytes, l2_bytes);
    facts->capability = 10 * major + minor;
    facts->shared_bytes = shared_bytes;
    describe_caches(facts, l2_bytes);
    return STATUS_OK;
}

void device_cuda_more_facts(int ordinal, struct device_facts *facts)
{
    const double HZ_PER_KHZ = 1e3;
    int clock_khz = 0, memory_khz = 0, ecc = 0;
    cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, ordinal);
    cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, ordinal);
    cudaDeviceGetAttribute(&facts->memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth, ordinal);
    cudaDeviceGetAttribute(&ecc, cudaDevAttrEccEnabled, ordinal);
    cudaDriverGetVersion(&facts->driver_cuda);
    cudaRuntimeGetVersion(&facts->runtime_cuda);
    cudaGetLastError();
    facts->max_clock_hz = clock_khz * HZ_PER_KHZ;
    facts->memory_clock_hz = memory_khz * HZ_PER_KHZ;
    facts->has_ecc = ecc != 0;
}

enum status device_cuda_facts(int ordinal, char *model, size_t size, struct device_facts *facts)
{
    struct cudaDeviceProp properties;
    *facts = (struct device_facts){0};
    cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
    if (error != cudaSuccess)
        return failed(ordinal, error, "cudaGetDeviceProperties");
    snprintf(model, size, "%.90s", properties.name);
    facts->memory_bytes = (int64_t)properties.totalGlobalMem;
    error = cudaDeviceGetPCIBusId(facts->pci_bus_id, sizeof(facts->pci_bus_id), ordinal);
    if (error != cudaSuccess)
        return failed(ordinal, error, "cudaDeviceGetPCIBusId");
    return ask_attributes(ordinal, facts);
}

enum status device_cuda_describe(struct device *d)
{
    struct device_info *info = &d->info;
    struct device_facts facts;
    TRY(device_cuda_facts(((const struct cuda *)d->self)->ordinal, info->model, sizeof(info->model),
                          &facts));
    info->capability = facts.capability;
    info->multiprocessors = facts.multiprocessors;
    info->shared_bytes = facts.shared_bytes;
    info->levels = facts.levels;
    snprintf(info->isa, sizeof(info->isa), "sm_%d", info->capability);
    snprintf(info->pci_bus_id, sizeof(info->pci_bus_id), "%s", facts.pci_bus_id);
    return device_cuda_fits(cuda_built_architectures, info->capability);
}
