#include "harness/machine/peculiarities.h"

#include "harness/base/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From here on a difference is worth a sentence. */
static const double cache_tolerance = 0.35; /* as in deciding about the levels */
static const double numa_tolerance = 0.20;
static const double clock_tolerance = 0.02;
static const double foreign_limit_cores = 0.1;

enum { TEXT_BYTES = 32 };

__attribute__((format(printf, 3, 4))) static void add(struct peculiarities *found, const char *code,
                                                      const char *format, ...)
{
    if (found->count == PECULIARITIES_MAX)
        return;
    struct peculiarity *peculiarity = &found->list[found->count++];
    va_list args;
    peculiarity->code = code;
    va_start(args, format);
    vsnprintf(peculiarity->sentence, sizeof(peculiarity->sentence), format, args);
    va_end(args);
}

static bool differs(double value, double from, double tolerance)
{
    return fabs(value - from) > tolerance * from;
}

/* "CPUID claims 320 MiB of L3, sysfs 32 MiB": who says what; one number where they agree. */
static void claims_text(const struct level *level, char *text, size_t size)
{
    char claimed[TEXT_BYTES], cpuid[TEXT_BYTES];
    format_bytes((double)level->claimed_bytes, claimed, sizeof(claimed));
    format_bytes((double)level->cpuid_bytes, cpuid, sizeof(cpuid));
    if (level->cpuid_bytes == 0)
        snprintf(text, size, "sysfs claims %s of %s", claimed, level->name);
    else if (level->cpuid_bytes == level->claimed_bytes)
        snprintf(text, size, "CPUID claims %s of %s", cpuid, level->name);
    else
        snprintf(text, size, "CPUID claims %s of %s, sysfs %s", cpuid, level->name, claimed);
}

/* A claim that was not taken, or a share that is smaller than the cache. */
static void find_in_cache(const struct level *level, struct peculiarities *found)
{
    char claims[128], probed[TEXT_BYTES], used[TEXT_BYTES];
    double capacity_bytes = (double)level->capacity_bytes;
    bool shrunk = differs((double)level->probed_bytes, capacity_bytes, cache_tolerance);
    bool contradicted = (level->claimed_bytes && level->claimed_bytes != level->capacity_bytes) ||
                        (level->cpuid_bytes &&
                         differs((double)level->cpuid_bytes, capacity_bytes, cache_tolerance));
    claims_text(level, claims, sizeof(claims));
    format_bytes((double)level->probed_bytes, probed, sizeof(probed));
    format_bytes(capacity_bytes, used, sizeof(used));
    if (contradicted && !shrunk)
        add(found, "cache_claim", "%s; a pointer chase finds %s: %s is used", claims, probed,
            level->probed_bytes == level->capacity_bytes ? "that" : used);
    else if (contradicted)
        add(found, "cache_claim", "%s; a pointer chase finds %s free of neighbours: %s is used",
            claims, probed, used);
    else if (shrunk)
        add(found, "cache_share",
            "%s has %s, but a pointer chase finds %s of it: others use the rest, so larger sets "
            "partly miss; %s is used",
            level->name, used, probed, used);
}

static void find_in_caches(const struct facts *facts, struct peculiarities *found)
{
    for (int i = 0; i < facts->levels.count; i++) {
        const struct level *level = &facts->levels.level[i];
        if (level->probed_bytes && (level->claimed_bytes || level->cpuid_bytes))
            find_in_cache(level, found);
        else if (!level->probed_bytes)
            add(found, "cache_not_probed",
                "no probe has confirmed the size of %s: it is used as %s", level->name,
                level->claimed_bytes ? "claimed" : "given");
    }
}

static void find_in_memory(const struct facts *facts, struct peculiarities *found)
{
    char nodes[TEXT_BYTES], total[TEXT_BYTES];
    const struct machine_topology *topology = &facts->topology;
    int64_t numa_bytes = 0;
    for (int i = 0; i < topology->numa_count; i++)
        numa_bytes += topology->numa[i].memory_bytes;
    if (topology->numa_count == 0 || facts->memory_bytes == 0 ||
        !differs((double)numa_bytes, (double)facts->memory_bytes, numa_tolerance))
        return;
    format_si((double)numa_bytes, "B", nodes, sizeof(nodes));
    format_si((double)facts->memory_bytes, "B", total, sizeof(total));
    if (topology->numa_count == 1)
        add(found, "numa_memory",
            "NUMA node %d claims %s, the machine has %s: the machine's total is used",
            topology->numa[0].os_index, nodes, total);
    else
        add(found, "numa_memory",
            "the %d NUMA nodes claim %s together, the machine has %s: the machine's total is used",
            topology->numa_count, nodes, total);
}

static void find_in_clocks(const struct facts *facts, struct peculiarities *found)
{
    char core[TEXT_BYTES], counter[TEXT_BYTES];
    if (facts->core_clock_hz > 0 && facts->time_stamp_counter_hz > 0 &&
        differs(facts->core_clock_hz, facts->time_stamp_counter_hz, clock_tolerance))
        add(found, "clock_is_not_tsc",
            "the core runs at %s, the time-stamp counter at %s: its ticks are no cycles, and "
            "cycles are probed",
            format_si(facts->core_clock_hz, "Hz", core, sizeof(core)),
            format_si(facts->time_stamp_counter_hz, "Hz", counter, sizeof(counter)));
    if (facts->governor[0] && strcmp(facts->governor, "performance") != 0)
        add(found, "governor",
            "the frequency governor is '%s': the clock may follow the load, so it is probed beside "
            "every sample; 'performance' is steadier",
            facts->governor);
}

static void find_in_neighbours(const struct facts *facts, struct peculiarities *found)
{
    if (facts->virtual_machine)
        add(found, "virtual_machine",
            "this is a virtual machine (%s): steal time may read 0 while neighbours slow this "
            "machine, so every result is flagged",
            facts->hypervisor[0] ? facts->hypervisor : "unknown");
    if (facts->foreign_cores > foreign_limit_cores)
        add(found, "foreign_load",
            "other processes used %.2f cores at the start: the load is recorded with every sample",
            facts->foreign_cores);
    if (facts->steal_cores > foreign_limit_cores)
        add(found, "steal_time",
            "the hypervisor gave %.2f cores of this machine's time to others at the start: what is "
            "measured then is slower by it and is kept",
            facts->steal_cores);
}

static void find_in_settings(const struct facts *facts, struct peculiarities *found)
{
    if (!facts->huge_pages[0] || strcmp(facts->huge_pages, "never") == 0)
        add(found, "huge_pages",
            "transparent huge pages are %s: buffers lie on small pages, and large sets pay for "
            "page walks",
            facts->huge_pages[0] ? "switched off" : "not available");
    if (facts->openblas_coretype[0])
        add(found, "openblas_coretype",
            "OPENBLAS_CORETYPE=%s makes OpenBLAS use that processor's kernels: it stays as it is, "
            "and GEMM may be far below the peak",
            facts->openblas_coretype);
}

static void find_in_placement(const struct facts *facts, struct peculiarities *found)
{
    const struct placement *placement = &facts->placement;
    if (placement->quota_cpus > 0 && placement->quota_cpus < placement->allowed_count)
        add(found, "cpu_quota",
            "a cgroup quota grants %.3g of the %d processors that the affinity mask allows: %d "
            "thread%s used",
            placement->quota_cpus, placement->allowed_count, placement->count,
            placement->count == 1 ? " is" : "s are");
    if (placement->core_count > 0 && placement->core_count < placement->allowed_count)
        add(found, "smt",
            "the %d allowed processors are hardware threads of %d core%s: one thread per core is "
            "used",
            placement->allowed_count, placement->core_count, placement->core_count == 1 ? "" : "s");
}

static void find_in_extensions(const struct facts *facts, struct peculiarities *found)
{
    if (facts->unmeasured[0])
        add(found, "not_measured",
            "this processor has %s, which no kernel uses yet: with it, more may be reached than "
            "the compute ceilings say",
            facts->unmeasured);
}

void peculiarities_find(const struct facts *facts, struct peculiarities *found)
{
    static void (*const rules[])(const struct facts *, struct peculiarities *) = {
        find_in_caches,   find_in_memory,    find_in_clocks,     find_in_neighbours,
        find_in_settings, find_in_placement, find_in_extensions,
    };
    found->count = 0;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        rules[i](facts, found);
}
