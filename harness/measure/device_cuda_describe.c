/* What a GPU is: name, capability, multiprocessors, caches. By attributes, which CUDA 12 and 13
 * share; of the properties only the name. */
#include "harness/measure/device_cuda_internal.h"

#include <cuda_runtime_api.h>

#include <stdio.h>

/* As the whole device is one thread in the sense of the benches, its private cache is the L1s of
 * all multiprocessors together. No attribute tells the size of an L1; it shares its memory with
 * shared memory, and what a kernel does not ask of that is cache: so it is at least as large as the
 * most that can be asked. */
static void describe_caches(const int *l2_bytes, struct device_info *info)
{
    struct level *l1 = &info->levels.level[0], *l2 = &info->levels.level[1];
    snprintf(l1->name, sizeof(l1->name), "L1");
    l1->capacity_bytes = l1->claimed_bytes = info->shared_bytes * info->multiprocessors;
    snprintf(l2->name, sizeof(l2->name), "L2");
    l2->capacity_bytes = l2->claimed_bytes = *l2_bytes;
    l2->shared = 1;
    info->levels.count = 2;
}

enum status device_cuda_describe(struct device *d)
{
    struct device_info *info = &d->info;
    const int ordinal = ((const struct cuda *)d->self)->ordinal;
    int major = 0, minor = 0, shared_bytes = 0, l2_bytes = 0;
    const struct {
        enum cudaDeviceAttr attribute;
        int *value;
    } asked[] = {
        {cudaDevAttrComputeCapabilityMajor, &major},
        {cudaDevAttrComputeCapabilityMinor, &minor},
        {cudaDevAttrMultiProcessorCount, &info->multiprocessors},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared_bytes},
        {cudaDevAttrL2CacheSize, &l2_bytes},
    };
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        CUDA_TRY(d, cudaDeviceGetAttribute(asked[i].value, asked[i].attribute, ordinal));
    if (info->multiprocessors < 1 || shared_bytes < 1 || l2_bytes < 1)
        return FAIL(STATUS_DEVICE,
                    "%s says that it has %d multiprocessors, %d bytes of shared memory in each and "
                    "%d bytes of L2: the driver is not to be believed",
                    info->name, info->multiprocessors, shared_bytes, l2_bytes);
    info->capability = 10 * major + minor;
    info->shared_bytes = shared_bytes;
    snprintf(info->isa, sizeof(info->isa), "sm_%d", info->capability);
    describe_caches(&l2_bytes, info);
    return device_cuda_model(ordinal, info->model, sizeof(info->model));
}
