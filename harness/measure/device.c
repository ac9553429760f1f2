#include "harness/measure/device.h"

#include "harness/measure/backend.h"
#include "harness/measure/team.h"

#include <stdlib.h>
#include <string.h>

/* "cpu" is asked for by "cpu", "fake" by "fake:...": the prefix up to a colon. */
static const struct backend *find_backend(const char *name)
{
    size_t length = strcspn(name, ":");
    for (const struct backend *const *b = backends; *b; b++)
        if (strlen((*b)->prefix) == length && strncmp((*b)->prefix, name, length) == 0)
            return *b;
    return NULL;
}

void device_list(device_visit visit, void *arg)
{
    for (const struct backend *const *b = backends; *b; b++)
        if ((*b)->list)
            (*b)->list(visit, arg);
}

enum status device_open(const struct device_options *options, struct device **device)
{
    const struct backend *backend = find_backend(options->name);
    if (!backend)
        return FAIL(STATUS_BAD_ARGUMENT, "no device '%s' in this build; it has: cpu, cuda:N",
                    options->name);
    struct device *d = calloc(1, sizeof(*d));
    if (!d)
        return FAIL(STATUS_NO_MEMORY, "no memory to open device %s", options->name);
    d->backend = backend;
    enum status status = backend->open(d, options);
    if (status != STATUS_OK) {
        free(d);
        return status;
    }
    *device = d;
    return STATUS_OK;
}

void device_close(struct device *device)
{
    device->backend->close(device);
    free(device);
}

const struct device_info *device_info(const struct device *device)
{
    return &device->info;
}

kernel_ladder device_kernels(const struct device *device, enum family family)
{
    return device->kernels->family[family];
}

enum status device_set_threads(struct device *device, int thread_count)
{
    if (thread_count < 1 || thread_count > device->info.thread_count)
        return FAIL(STATUS_BAD_ARGUMENT, "threads=%d is not 1 .. %d (%s)", thread_count,
                    device->info.thread_count, device->info.thread_reason);
    if (!device->backend->computes_apart)
        team_resize(device->team, thread_count);
    return STATUS_OK;
}

struct team *device_team(struct device *device)
{
    return device->team;
}

enum status device_alloc(struct device *device, size_t size_bytes, void **buffer)
{
    return device->backend->alloc(device, size_bytes, buffer);
}

void device_free(struct device *device, void *buffer, size_t size_bytes)
{
    device->backend->free(device, buffer, size_bytes);
}

enum status device_upload(struct device *device, void *to, const void *from, size_t size_bytes)
{
    return device->backend->upload(device, to, from, size_bytes);
}

enum status device_download(struct device *device, void *to, const void *from, size_t size_bytes)
{
    return device->backend->download(device, to, from, size_bytes);
}

double device_huge_fraction(struct device *device, const void *buffer, size_t size_bytes)
{
    return device->backend->huge_fraction(device, buffer, size_bytes);
}

enum status device_clock_start(struct device *device)
{
    return device->backend->clock_start(device);
}

enum status device_clock_stop(struct device *device, double *elapsed_seconds)
{
    return device->backend->clock_stop(device, elapsed_seconds);
}

double device_core_clock_hz(struct device *device)
{
    return device->backend->core_clock_hz(device);
}

bool device_clocks_samples(const struct device *device)
{
    return device->backend->clocks_samples;
}

uint32_t device_flags(const struct device *device)
{
    return device->backend->flags ? device->backend->flags(device) : 0;
}

enum status device_finish(struct device *device)
{
    return device->backend->finish ? device->backend->finish(device) : STATUS_OK;
}

enum status device_flush(struct device *device)
{
    if (!device->backend->flush)
        return FAIL(STATUS_SKIP, "the caches of %s cannot be flushed", device->info.name);
    return device->backend->flush(device);
}

bool device_is_lost(const struct device *device)
{
    return device->backend->is_lost && device->backend->is_lost(device);
}
