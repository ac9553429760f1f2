/* The levels of the memory hierarchy as they are, not as the processor reports them: a virtual
 * machine may claim 508 MiB of L3 where 32 answer. Capacities decide working sets, so they are
 * probed (a pointer chase over growing sets) and a claim is used only where the probe agrees: the
 * latency steps up at its size, or, since a shared cache is shared with strangers too, between a
 * quarter of it and all of it. */
#pragma once

#include "harness/base/status.h"

#include <stdint.h>

enum { LEVELS_MAX = 4 };

struct level {
    char name[8];           /* "L1", "L2", "L3" */
    int64_t capacity_bytes; /* the one to use: of one instance of the cache */
    int64_t claimed_bytes;  /* what sysfs, else CPUID, says; 0: no claim */
    int64_t cpuid_bytes;    /* what getconf/CPUID says; 0: nothing */
    int64_t probed_bytes;   /* where the chase found the step; shared: our share; 0: not probed */
    double latency_seconds; /* of one dependent load inside it; 0: not probed */
    int32_t shared;         /* 1: one instance serves several cores */
};

struct levels {
    int count; /* caches, L1 first; memory is not listed */
    struct level level[LEVELS_MAX];
    double memory_latency_seconds; /* 0: not probed */
};

C_API_BEGIN

/* Claims only: reads sysfs and sysconf. Where nothing is known, 32 KiB and 1 MiB. */
void levels_claimed(struct levels *levels);

/* Claims, then a chase of at most `budget_seconds` that confirms or replaces them. Allocates up
 * to 256 MiB, or a quarter of the memory that is free, and releases it again. A claim of more,
 * which the chase does not contradict, stays with probed_bytes 0. */
enum status levels_probe(struct levels *levels, double budget_seconds);

/* Real capacity of the last cache. */
int64_t levels_last_bytes(const struct levels *levels);

/* Index of a level by name ("L1"), or -1; "LLC" is the last. */
int levels_find(const struct levels *levels, const char *name);

/* "L1=32768,L2=1048576,L3=33554432*" (the star marks shared), as passed from ridge to a child so
 * that all children of a run agree; levels_parse reads it back. */
const char *levels_format(const struct levels *levels, char *buffer, int size);
enum status levels_parse(const char *text, struct levels *levels);

/* The level that holds `total_bytes` spread over that many threads: "L1" .., "memory", or "" for a
 * size between two levels, which measures neither. A private cache holds 0.75 of its capacity per
 * thread and no less than 1.5 times the one below; a shared one 0.6 of it for all threads; memory
 * begins at 4 times the last cache. The string lives as long as `levels`. */
const char *levels_place(const struct levels *levels, double total_bytes, int thread_count);

C_API_END
