/* Where kernels run: memory, a stopwatch and a set of kernels. "cpu", "cuda:0";
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
    char name[32];                   /* "cpu", "cuda:0" */
    char model[96];                  /* "AMD EPYC 9654 96-Core Processor", "NVIDIA H200" */
    char pci_bus_id[20];             /* of a GPU: "0000:17:00.0" */
    enum source source;              /* what the times are: measured or fake */
    char isa[24];                    /* instruction set of the kernels: "x86-64-v4" */
    int thread_count;                /* how many threads "all" means */
    char thread_reason[240];         /* how that number was chosen */
    int cpus[DEVICE_MAX_CPUS];       /* the processors they are pinned to, in order */
    int64_t memory_bytes;            /* that a case may use */
    double clock_resolution_seconds; /* smallest step of the stopwatch */
    bool virtual_machine;
    struct levels levels;
    size_t stagger_bytes;     /* by how much a case's arrays begin apart: 0 or whole lines */
    int64_t staging_elements; /* filled and compared at once: enough to hide a copy's latency */
    int multiprocessors;      /* of a GPU; 0: a CPU */
    int64_t shared_bytes;     /* of a GPU: shared memory of a multiprocessor */
    int capability;           /* of a GPU: compute capability, 90 for 9.0 */
};

struct device_options {
    const char *name;   /* "cpu", "cuda:0", "cuda:0000:17:00.0", "fake:1e-3,2e-3" */
    const char *isa;    /* NULL: the best that this processor has */
    const char *levels; /* NULL: probe; else as levels_format wrote it */
    enum pages pages;
};

/* What a GPU is, as far as its driver tells without its being opened; zeros where it does not. */
struct device_facts {
    char pci_bus_id[20]; /* "0000:17:00.0"; "": not a GPU */
    int capability;      /* 90 for 9.0 */
    int multiprocessors;
    int64_t shared_bytes; /* of a multiprocessor */
    int64_t memory_bytes;
    double max_clock_hz, memory_clock_hz; /* as the driver states them */
    int memory_bus_bits;
    bool has_ecc;                  /* error correction of its memory is on */
    int driver_cuda, runtime_cuda; /* 13000: 13.0 */
    struct levels levels;
};

/* A device that this machine has, or a kind of device that it cannot use and why. */
struct device_finding {
    char name[32];    /* "cpu", "cuda:0"; "cuda" for the whole kind */
    char model[96];   /* as in device_info; "" where there is none */
    char reason[400]; /* why it cannot be used, and the remedy; "" where it can */
    bool is_absent;   /* there is nothing of that kind, here or in this build */
    struct device_facts facts;
};
typedef void (*device_visit)(void *arg, const struct device_finding *finding);

C_API_BEGIN

/* Calls visit for each device that a sweep of this machine measures, the CPU first, without
 * opening any. */
void device_list(device_visit visit, void *arg);

enum status device_open(const struct device_options *options, struct device **device);
void device_close(struct device *device);

const struct device_info *device_info(const struct device *device);
kernel_ladder device_kernels(const struct device *device, enum family family);

/* The threads of the next case: 1 .. thread_count. A GPU counts as one; its host threads, which
 * fill and check, are always all of the team. */
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

/* Waits until all that was launched has ended; its error, if it failed. */
enum status device_finish(struct device *device);

/* The core clock; 0: not known. Where device_clocks_samples, it is that of what was last timed,
 * measured on the device meanwhile; else it is the clock now, from a chain of dependent additions
 * of some 10 us. */
double device_core_clock_hz(struct device *device);
bool device_clocks_samples(const struct device *device);

/* Guards (FLAG_*) of what was timed so far, which the device alone knows. */
uint32_t device_flags(const struct device *device);

/* Makes whatever is cached of a case's arrays go, for benches with CACHES_COLD. */
enum status device_flush(struct device *device);

/* After a failure: has the device gone for this process, so that every later call would fail? */
bool device_is_lost(const struct device *device);

C_API_END
