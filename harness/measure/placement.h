/* How many threads "all" means, and on which processors they sit. Threads beyond what the
 * machine lets this process use would wait for each other and measure the scheduler. */
#pragma once

#include "harness/base/status.h"

enum { PLACEMENT_MAX_CPUS = 1024 };

struct placement {
    int count;                    /* threads to use: at least 1 */
    int cpus[PLACEMENT_MAX_CPUS]; /* thread i sits on processor cpus[i], the system's number */
    char reason[240];             /* one line: why so many */
    int allowed_count;            /* processors of the affinity mask */
    int core_count;               /* physical cores that they belong to */
    double quota_cpus;            /* processors' worth of time that cgroups grant; 0: no limit */
};

C_API_BEGIN

/* threads = min(processors of the affinity mask, cgroup quota rounded down), one per physical
 * core: a core's second hardware thread adds nothing to bandwidth or arithmetic that fills the
 * core. The affinity mask already has the cpuset in it, since the kernel narrows the one by the
 * other. Fails only where the kernel refuses to tell the affinity mask. */
enum status placement_choose(struct placement *placement);

C_API_END
