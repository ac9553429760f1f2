/* What hwloc knows of the machine. The only place that uses it. */
#pragma once

#include "harness/base/status.h"

#include <stdint.h>

enum { MACHINE_NUMA_MAX = 64 };

struct machine_numa {
    int os_index;
    int64_t memory_bytes; /* that the node claims */
};

struct machine_topology {
    int core_count, processor_count; /* physical cores, hardware threads; all that are online */
    int numa_count;                  /* at most MACHINE_NUMA_MAX */
    struct machine_numa numa[MACHINE_NUMA_MAX];
};

enum status machine_topology_read(struct machine_topology *topology);
