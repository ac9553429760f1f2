/* What is known of the machine, as plain data: gathered once, then turned into JSON and into
 * peculiarities by functions that a test can feed. */
#pragma once

#include "harness/base/status.h"
#include "harness/machine/machine_topology.h"
#include "harness/measure/levels.h"
#include "harness/measure/placement.h"

#include <stdbool.h>
#include <stddef.h>

enum { FACTS_CPUINFO_BYTES = 16384 };

struct facts {
    char host[72], kernel[256], os[128];
    char cpu_model[128], cpu_vendor[64], microcode[32];
    int family, model, stepping;       /* negative: not known */
    char cpuinfo[FACTS_CPUINFO_BYTES]; /* the first processor's paragraph, for its flags */
    struct machine_topology topology;
    struct placement placement;
    struct levels levels;
    int64_t memory_bytes, memory_available_bytes;
    bool virtual_machine;
    char hypervisor[64];
    char clock_source[32];
    double core_clock_hz, time_stamp_counter_hz; /* 0: not known */
    char huge_pages[16];                         /* "always", "madvise", "never"; "": none */
    char governor[32];                           /* "": not said */
    int turbo, smt;                              /* 0, 1; negative: not said */
    double foreign_cores, steal_cores;           /* negative: not known */
    char openblas_coretype[64];                  /* "": not set */
    char unmeasured[128];                        /* extensions that no kernel uses: "AMX-BF16" */
};

C_API_BEGIN

/* Reads everything of this machine, in about 0.3 s; most of what cannot be read stays unknown. */
enum status facts_gather(const struct levels *levels, struct facts *facts);

/* Value of a key in the first paragraph of /proc/cpuinfo ("model name"); "" where missing. */
const char *facts_cpuinfo_value(const char *cpuinfo, const char *key, char *value, size_t size);

/* PRETTY_NAME of a text of /etc/os-release, without quotes; "" where missing. */
const char *facts_os_name(const char *os_release, char *name, size_t size);

/* The word in brackets, of "always [madvise] never"; "" where there is none. */
const char *facts_bracketed(const char *line, char *word, size_t size);

C_API_END
