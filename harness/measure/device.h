/* Where kernels run: memory, a stopwatch and a set of kernels. "cpu", later "cuda:0";
 * "fake:..." is the cpu with scripted times, for tests. */
#pragma once

#include "harness/measure/kernel.h"
#include "harness/measure/levels.h"
#include "harness/record/record.h"

#include <stdbool.h>
#include <stddef.h>

enum { DEVICE_MAX_CPUS = 1024 };

enum pages { PAGES_HUGE, PAGES_SMALL };

struct device_info {
    char name[32];                   /* "cpu" */
    char model[96];                  /* "AMD EPYC 9654 96-Core Processor" */
    enum source source;              /* what the times are: measured or fake */
    char isa[24];                    /* instruction set of the kernels: "x86-64-v4" */
    int thread_count;                /* how many threads "all" means */
    char thread_reason[240];         /* how that number was chosen */
    int cpus[DEVICE_MAX_CPUS];       /* the processors they are pinned to, in order */
    int64_t memory_bytes;            /* that a case may use */
    double clock_resolution_seconds; /* smallest step of the stopwatch */
    bool virtual_machine;
    struct levels levels;
};

struct device_options {
    const char *name;   /* "cpu", "fake:1e-3,2e-3" */
    const char *isa;    /* NULL: the best that this processor has */
    const char *levels; /* NULL: probe; else as levels_format wrote it */
    enum pages pages;
};

C_API_BEGIN

enum status device_open(const struct device_options *options, struct device **device);
void device_close(struct device *device);

const struct device_info *device_info(const struct device *device);
kernel_ladder device_kernels(const struct device *device, enum family family);

/* The threads of the next case: 1 .. thread_count. */
enum status device_set_threads(struct device *device, int thread_count);
struct team *device_team(struct device *device);

/* Buffers are aligned to 2 MiB on the cpu, so that no two arrays differ in alignment; the
 * caller frees. `refused` is set where huge pages were asked for and not granted. */
enum status device_alloc(struct device *device, size_t size_bytes, void **buffer);
void device_free(struct device *device, void *buffer, size_t size_bytes);
enum status device_upload(struct device *device, void *to, const void *from, size_t size_bytes);
enum status device_download(struct device *device, void *to, const void *from, size_t size_bytes);
/* Fraction of [buffer, buffer + size) on huge pages, 0..1; negative: not known. */
double device_huge_fraction(struct device *device, const void *buffer, size_t size_bytes);

/* The stopwatch. Whatever is launched between the two calls is timed to its completion. */
enum status device_clock_start(struct device *device);
enum status device_clock_stop(struct device *device, double *elapsed_seconds);

/* The core clock now, from a chain of dependent additions of some 10 us; 0: cannot be probed. */
double device_core_clock_hz(struct device *device);

C_API_END
