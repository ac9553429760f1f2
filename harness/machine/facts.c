#include "harness/machine/facts.h"

#include "harness/measure/core_clock.h"
#include "harness/measure/cpu_model.h"
#include "harness/measure/foreign_load.h"
#include "harness/measure/text_file.h"
#include "harness/measure/virtual.h"
#include "kernels/isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* Long enough that one tick of 10 ms is half of the load worth mentioning, 0.1 core. */
static const struct timespec load_window = {.tv_nsec = 200 * 1000 * 1000};
static const double clock_probe_seconds = 1e-3;

const char *facts_cpuinfo_value(const char *cpuinfo, const char *key, char *value, size_t size)
{
    size_t key_length = strlen(key);
    value[0] = '\0';
    for (const char *line = cpuinfo; *line && *line != '\n'; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *colon = memchr(line, ':', length);
        const char *after = line + key_length;
        if (colon && strncmp(line, key, key_length) == 0 &&
            strspn(after, " \t") == (size_t)(colon - after)) {
            const char *text = colon + 1 + strspn(colon + 1, " ");
            snprintf(value, size, "%.*s", (int)(line + length - text), text);
            return value;
        }
        line += length;
    }
    return value;
}

const char *facts_os_name(const char *os_release, char *name, size_t size)
{
    static const char key[] = "PRETTY_NAME=";
    name[0] = '\0';
    const char *found = strstr(os_release, key);
    if (!found)
        return name;
    found += sizeof(key) - 1;
    found += *found == '"';
    snprintf(name, size, "%.*s", (int)strcspn(found, "\"\n"), found);
    return name;
}

const char *facts_bracketed(const char *line, char *word, size_t size)
{
    const char *open = strchr(line, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    word[0] = '\0';
    if (close)
        snprintf(word, size, "%.*s", (int)(close - open - 1), open + 1);
    return word;
}

/* A number of /proc/cpuinfo, decimal or 0x; -1 where it is missing. */
static int cpuinfo_number(const char *cpuinfo, const char *key)
{
    char text[64];
    facts_cpuinfo_value(cpuinfo, key, text, sizeof(text));
    return text[0] ? (int)strtol(text, NULL, 0) : -1;
}

static void read_processor(struct facts *facts)
{
    const char *cpuinfo = facts->cpuinfo;
    text_file_read("/proc/cpuinfo", facts->cpuinfo, sizeof(facts->cpuinfo));
    facts_cpuinfo_value(cpuinfo, "model name", facts->cpu_model, sizeof(facts->cpu_model));
    facts_cpuinfo_value(cpuinfo, "vendor_id", facts->cpu_vendor, sizeof(facts->cpu_vendor));
    facts_cpuinfo_value(cpuinfo, "microcode", facts->microcode, sizeof(facts->microcode));
    facts->family = cpuinfo_number(cpuinfo, "cpu family");
    facts->model = cpuinfo_number(cpuinfo, "model");
    facts->stepping = cpuinfo_number(cpuinfo, "stepping");
    if (facts->cpu_vendor[0])
        return;
    /* aarch64 names neither vendor nor model, but numbers them */
    cpu_model(facts->cpu_model, sizeof(facts->cpu_model));
    facts_cpuinfo_value(cpuinfo, "CPU implementer", facts->cpu_vendor, sizeof(facts->cpu_vendor));
    facts->family = cpuinfo_number(cpuinfo, "CPU architecture");
    facts->model = cpuinfo_number(cpuinfo, "CPU part");
    facts->stepping = cpuinfo_number(cpuinfo, "CPU revision");
}

static void read_system(struct facts *facts)
{
    struct utsname name;
    char text[4096];
    if (uname(&name) == 0) {
        snprintf(facts->host, sizeof(facts->host), "%s", name.nodename);
        snprintf(facts->kernel, sizeof(facts->kernel), "%s %s %s", name.sysname, name.release,
                 name.machine);
    }
    text_file_read("/etc/os-release", text, sizeof(text));
    facts_os_name(text, facts->os, sizeof(facts->os));
    text_file_read("/proc/meminfo", text, sizeof(text));
    facts->memory_bytes = text_file_kib_value(text, "MemTotal");
    facts->memory_available_bytes = text_file_kib_value(text, "MemAvailable");
    facts->virtual_machine = machine_virtual();
    machine_hypervisor(facts->hypervisor, sizeof(facts->hypervisor));
}

/* A file of sysfs that holds 0 or 1; -1 where it is missing. */
static int read_switch(const char *directory, const char *name)
{
    char text[16];
    return text_file_line(directory, name, text, sizeof(text)) > 0 ? atoi(text) != 0 : -1;
}

static void read_settings(struct facts *facts)
{
    static const char cpu[] = "/sys/devices/system/cpu";
    char text[128];
    text_file_line("/sys/devices/system/clocksource/clocksource0", "current_clocksource",
                   facts->clock_source, sizeof(facts->clock_source));
    text_file_line("/sys/kernel/mm/transparent_hugepage", "enabled", text, sizeof(text));
    facts_bracketed(text, facts->huge_pages, sizeof(facts->huge_pages));
    text_file_line(cpu, "cpu0/cpufreq/scaling_governor", facts->governor, sizeof(facts->governor));
    facts->smt = read_switch(cpu, "smt/active");
    int no_turbo = read_switch(cpu, "intel_pstate/no_turbo");
    facts->turbo = no_turbo >= 0 ? !no_turbo : read_switch(cpu, "cpufreq/boost");
    const char *coretype = getenv("OPENBLAS_CORETYPE");
    snprintf(facts->openblas_coretype, sizeof(facts->openblas_coretype), "%s",
             coretype ? coretype : "");
}

static void read_load(struct facts *facts)
{
    struct foreign_load load;
    foreign_load_begin(&load);
    nanosleep(&load_window, NULL);
    facts->foreign_cores = foreign_load_end(&load);
    facts->steal_cores = load.steal_cores;
}

enum status facts_gather(const struct levels *levels, struct facts *facts)
{
    memset(facts, 0, sizeof(*facts));
    facts->levels = *levels;
    TRY(placement_choose(&facts->placement));
    TRY(machine_topology_read(&facts->topology));
    read_processor(facts);
    read_system(facts);
    read_settings(facts);
    read_load(facts);
    isa_list_features(isa_unmeasured, facts->unmeasured, sizeof(facts->unmeasured));
    facts->core_clock_hz = core_clock_hz(clock_probe_seconds);
    facts->time_stamp_counter_hz = time_stamp_counter_hz();
    return STATUS_OK;
}
