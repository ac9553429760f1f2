/* The parts of placement.h that tests reach one by one. */
#pragma once

#include "harness/measure/placement.h"

/* What the machine says; the choice is a pure function of it. */
struct placement_facts {
    int cpu_count;                 /* processors that the affinity mask allows */
    int cpus[PLACEMENT_MAX_CPUS];  /* their numbers, ascending */
    int cores[PLACEMENT_MAX_CPUS]; /* first hardware thread of each one's core; -1: not known */
    double quota_cpus;             /* processors' worth of time that cgroups grant; 0: no limit */
};

C_API_BEGIN

void placement_decide(const struct placement_facts *facts, struct placement *placement);

/* The first number of a list like "3,67" or "0-1"; -1 where there is none. */
int placement_first_cpu(const char *list);

/* The smallest quota, in processors, of the groups that `cgroup_text` (/proc/self/cgroup) names
 * and of all their parents; `root` stands for /sys/fs/cgroup. 0: no limit. */
double placement_quota_at(const char *root, const char *cgroup_text);

/* Fills facts->cores; `root` stands for /sys/devices/system/cpu. */
void placement_cores_at(const char *root, struct placement_facts *facts);

C_API_END
