#include "harness/measure/placement.h"

#include "harness/measure/placement_internal.h"
#include "harness/measure/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for 8,192 processors: the kernel refuses a mask that is shorter than its own. */
enum { MASK_SETS = 8, PATH_BYTES = 1024 };

int placement_first_cpu(const char *list)
{
    return isdigit((unsigned char)list[0]) ? atoi(list) : -1;
}

void placement_cores_at(const char *root, struct placement_facts *facts)
{
    for (int i = 0; i < facts->cpu_count; i++) {
        char directory[PATH_BYTES], list[256];
        snprintf(directory, sizeof(directory), "%s/cpu%d/topology", root, facts->cpus[i]);
        if (text_file_line(directory, "core_cpus_list", list, sizeof(list)) <= 0)
            text_file_line(directory, "thread_siblings_list", list, sizeof(list)); /* before 5.3 */
        facts->cores[i] = placement_first_cpu(list);
    }
}

static double smaller_limit(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

/* The limit that one group itself sets: cgroup v2's "max 100000" or "150000 100000", or v1's two
 * files, where -1 means none. */
static double quota_of_group(const char *directory)
{
    char text[128], period[128];
    double quota_us, period_us;
    if (text_file_line(directory, "cpu.max", text, sizeof(text)) > 0)
        return sscanf(text, "%lf %lf", &quota_us, &period_us) == 2 && period_us > 0
                   ? quota_us / period_us
                   : 0;
    if (text_file_line(directory, "cpu.cfs_quota_us", text, sizeof(text)) <= 0 ||
        text_file_line(directory, "cpu.cfs_period_us", period, sizeof(period)) <= 0)
        return 0;
    quota_us = atof(text);
    period_us = atof(period);
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

/* The smallest limit from this group up to the mount. A group that is not there belongs to a
 * name space outside our container; the mount then shows our own group at its root. */
static double quota_of_path(const char *mount, const char *group)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s%s", mount, group);
    double quota_cpus = 0;
    for (;;) {
        quota_cpus = smaller_limit(quota_of_group(path), quota_cpus);
        char *slash = strrchr(path, '/');
        if (!slash || strlen(path) <= strlen(mount))
            return quota_cpus;
        *slash = '\0';
    }
}

/* Whether a v1 line's comma-separated controllers include "cpu". */
static bool has_cpu_controller(const char *controllers)
{
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || at[3] == '\0'))
            return true;
    }
    return false;
}

/* One line of /proc/self/cgroup, "4:cpu,cpuacct:/group" or "0::/group". */
static double quota_of_line(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return 0;
    *group++ = '\0';
    controllers++;
    if (*controllers && !has_cpu_controller(controllers))
        return 0;
    char mount[PATH_BYTES];
    if (*controllers == '\0')
        return quota_of_path(root, group);
    snprintf(mount, sizeof(mount), "%s/%s", root, controllers);
    double quota_cpus = quota_of_path(mount, group);
    snprintf(mount, sizeof(mount), "%s/cpu", root);
    return smaller_limit(quota_of_path(mount, group), quota_cpus);
}

double placement_quota_at(const char *root, const char *cgroup_text)
{
    double quota_cpus = 0;
    while (*cgroup_text) {
        char line[PATH_BYTES];
        size_t length = strcspn(cgroup_text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)length, cgroup_text);
        quota_cpus = smaller_limit(quota_of_line(root, line), quota_cpus);
        cgroup_text += length + (cgroup_text[length] == '\n');
    }
    return quota_cpus;
}

/* Whether processor i is the first of its core that the mask allows. */
static bool is_first_of_core(const struct placement_facts *facts, int i)
{
    for (int j = 0; j < i && facts->cores[i] >= 0; j++)
        if (facts->cores[j] == facts->cores[i])
            return false;
    return true;
}

static void explain(struct placement *placement)
{
    int core_count = placement->core_count, allowed_count = placement->allowed_count;
    char quota[48] = "no cgroup quota", cores[80];
    if (placement->quota_cpus > 0)
        snprintf(quota, sizeof(quota), "a cgroup quota grants %.3g", placement->quota_cpus);
    if (core_count == allowed_count)
        snprintf(cores, sizeof(cores), "%d core%s without hyperthreads", core_count,
                 core_count == 1 ? "" : "s");
    else
        snprintf(cores, sizeof(cores), "they are hardware threads of %d core%s, one of each used",
                 core_count, core_count == 1 ? "" : "s");
    snprintf(placement->reason, sizeof(placement->reason),
             "%d thread%s: affinity allows %d processor%s, %s, %s", placement->count,
             placement->count == 1 ? "" : "s", allowed_count, allowed_count == 1 ? "" : "s", quota,
             cores);
}

void placement_decide(const struct placement_facts *facts, struct placement *placement)
{
    int core_count = 0;
    memset(placement, 0, sizeof(*placement));
    for (int i = 0; i < facts->cpu_count; i++)
        if (is_first_of_core(facts, i))
            placement->cpus[core_count++] = facts->cpus[i];
    placement->count = core_count;
    placement->core_count = core_count;
    placement->allowed_count = facts->cpu_count;
    placement->quota_cpus = facts->quota_cpus;
    if (facts->quota_cpus > 0 && facts->quota_cpus < core_count)
        placement->count = facts->quota_cpus >= 1 ? (int)facts->quota_cpus : 1;
    explain(placement);
}

static enum status read_affinity(struct placement_facts *facts)
{
    cpu_set_t sets[MASK_SETS];
    if (sched_getaffinity(0, sizeof(sets), sets) != 0)
        return FAIL(STATUS_IO, "the kernel does not tell which processors may be used: %s",
                    strerror(errno));
    for (int cpu = 0; cpu < MASK_SETS * CPU_SETSIZE; cpu++)
        if (CPU_ISSET_S(cpu, sizeof(sets), sets) && facts->cpu_count < PLACEMENT_MAX_CPUS)
            facts->cpus[facts->cpu_count++] = cpu;
    return STATUS_OK;
}

enum status placement_choose(struct placement *placement)
{
    struct placement_facts facts = {0};
    char cgroup_text[8192];
    TRY(read_affinity(&facts));
    placement_cores_at("/sys/devices/system/cpu", &facts);
    text_file_read("/proc/self/cgroup", cgroup_text, sizeof(cgroup_text));
    facts.quota_cpus = placement_quota_at("/sys/fs/cgroup", cgroup_text);
    placement_decide(&facts, placement);
    return STATUS_OK;
}
