/* The CPU as a device: pinned threads, memory by whole pages, the monotonic raw clock. */
#include "harness/base/clock.h"
#include "harness/measure/backend.h"
#include "harness/measure/core_clock.h"
#include "harness/measure/cpu_model.h"
#include "harness/measure/pages.h"
#include "harness/measure/placement.h"
#include "harness/measure/team.h"
#include "harness/measure/virtual.h"
#include "kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double CLOCK_PROBE_SECONDS = 10e-6;
static const double LEVELS_PROBE_SECONDS = 0.5;

/* Buffers begin at 2 MiB boundaries plus a different number of cache lines each. Without that all
 * arrays of a case would agree in their low 12 address bits, and a load would seem to depend on
 * the store before it (4 KiB aliasing). 17 lines keep the sum of a few away from 4 KiB. */
enum { STAGGER_BYTES = 17 * 64, STAGING_ELEMENTS = 1024 };

struct cpu {
    enum pages pages;
    double started_seconds;
};

/* The smallest step seen: the clock's announced resolution says 1 ns where it moves in tens. */
static double smallest_clock_step(void)
{
    double smallest = 1;
    for (int i = 0; i < 200; i++) {
        double first = clock_seconds(), next = first;
        while (next <= first)
            next = clock_seconds();
        smallest = next - first < smallest ? next - first : smallest;
    }
    return smallest;
}

static enum status choose_threads(struct device *d)
{
    struct placement placement;
    TRY(placement_choose(&placement));
    if (placement.count > DEVICE_MAX_CPUS)
        placement.count = DEVICE_MAX_CPUS;
    d->info.thread_count = placement.count;
    memcpy(d->info.cpus, placement.cpus, (size_t)placement.count * sizeof(d->info.cpus[0]));
    snprintf(d->info.thread_reason, sizeof(d->info.thread_reason), "%s", placement.reason);
    return STATUS_OK;
}

static enum status describe(struct device *d, const struct device_options *options)
{
    struct device_info *info = &d->info;
    snprintf(info->name, sizeof(info->name), "cpu");
    cpu_model(info->model, sizeof(info->model));
    info->source = SOURCE_measured;
    TRY(kernels_cpu_choose(options->isa));
    snprintf(info->isa, sizeof(info->isa), "%s", kernels_cpu_isa_name());
    TRY(choose_threads(d));
    info->memory_bytes = pages_available_bytes();
    info->clock_resolution_seconds = smallest_clock_step();
    info->virtual_machine = machine_virtual();
    info->stagger_bytes = STAGGER_BYTES;
    info->staging_elements = STAGING_ELEMENTS;
    return options->levels ? levels_parse(options->levels, &info->levels)
                           : levels_probe(&info->levels, LEVELS_PROBE_SECONDS);
}

static void cpu_list(device_visit visit, void *arg)
{
    struct device_finding finding = {.name = "cpu"};
    cpu_model(finding.model, sizeof(finding.model));
    visit(arg, &finding);
}

static enum status cpu_open(struct device *d, const struct device_options *options)
{
    d->kernels = &cpu_kernels;
    TRY(describe(d, options));
    struct cpu *cpu = calloc(1, sizeof(*cpu));
    if (!cpu)
        return FAIL(STATUS_NO_MEMORY, "no memory for the cpu device");
    cpu->pages = options->pages;
    enum status status = team_open(d->info.cpus, d->info.thread_count, &d->team);
    if (status != STATUS_OK) {
        free(cpu);
        return status;
    }
    d->self = cpu;
    return STATUS_OK;
}

static void cpu_close(struct device *d)
{
    team_close(d->team);
    free(d->self);
}

static enum status cpu_alloc(struct device *d, size_t size_bytes, void **buffer)
{
    const struct cpu *cpu = d->self;
    return pages_take(size_bytes, cpu->pages, buffer);
}

static void cpu_free(struct device *d, void *buffer, size_t size_bytes)
{
    (void)d;
    pages_release(buffer, size_bytes);
}

static enum status cpu_copy(struct device *d, void *to, const void *from, size_t size_bytes)
{
    (void)d;
    memcpy(to, from, size_bytes);
    return STATUS_OK;
}

/* -1 (nothing to flag) where small pages were asked for. */
static double cpu_huge_fraction(struct device *d, const void *buffer, size_t size_bytes)
{
    const struct cpu *cpu = d->self;
    return cpu->pages == PAGES_HUGE ? pages_huge_fraction(buffer, size_bytes) : -1;
}

static enum status cpu_clock_start(struct device *d)
{
    struct cpu *cpu = d->self;
    team_take_span_seconds(d->team);
    cpu->started_seconds = clock_seconds();
    return STATUS_OK;
}

/* The span of the team excludes waking it up; a kernel without the team is timed from outside. */
static enum status cpu_clock_stop(struct device *d, double *elapsed_seconds)
{
    const struct cpu *cpu = d->self;
    double outside_seconds = clock_seconds() - cpu->started_seconds;
    double span_seconds = team_take_span_seconds(d->team);
    *elapsed_seconds = span_seconds > 0 ? span_seconds : outside_seconds;
    return STATUS_OK;
}

static double cpu_core_clock_hz(struct device *d)
{
    (void)d;
    return core_clock_hz(CLOCK_PROBE_SECONDS);
}

const struct backend cpu_backend = {
    .prefix = "cpu",
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .huge_fraction = cpu_huge_fraction,
    .clock_start = cpu_clock_start,
    .clock_stop = cpu_clock_stop,
    .core_clock_hz = cpu_core_clock_hz,
};
