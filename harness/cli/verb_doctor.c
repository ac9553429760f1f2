/* ridge doctor: what was found, built and is missing; what each absence costs; how to mend it. */
#include "harness/base/format.h"
#include "harness/base/version.h"
#include "harness/cli/arguments.h"
#include "harness/cli/verb.h"
#include "harness/drive/child.h"
#include "harness/drive/devices.h"
#include "harness/drive/places.h"
#include "harness/machine/machine.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double LEVELS_PROBE_SECONDS = 0.5;

struct finding {
    const char *name;
    bool is_here;
    char detail[200];
    const char *cost, *remedy; /* of its absence */
};

struct report {
    bool as_json;
    json_t *machine; /* owned */
    struct finding findings[16 + DEVICES_MOST];
    struct devices devices;
    char gpus[DEVICES_MOST][128]; /* model and place of each */
    int count;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "NAME", 0, "text (default) or json", 0}, {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct report *report = state->input;
    if (key != 'f')
        return arguments_none(key, arg, state);
    report->as_json = arguments_is_json(arg, state);
    return 0;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Says what was found on this machine and in this build, what is missing, what each "
           "absence costs and the command that mends it.",
};

static void add(struct report *report, const char *name, bool is_here, const char *detail,
                const char *cost, const char *remedy)
{
    struct finding *f = &report->findings[report->count++];
    *f = (struct finding){.name = name, .is_here = is_here, .cost = cost, .remedy = remedy};
    snprintf(f->detail, sizeof(f->detail), "%s", detail);
}

static void count_bench(void *arg, const char *name)
{
    char *names = arg;
    size_t used = strlen(names);
    snprintf(names + used, 200 - used, "%s%s", used ? " " : "", name);
}

/* The plots' Python lives in a virtual environment beside the data, else it is the system's. */
static bool has_plot_packages(char *python, size_t size)
{
    char data[4096], *output;
    snprintf(python, size, "%s/build/venv/bin/python3", places_data(data, sizeof(data)));
    if (access(python, X_OK) != 0)
        snprintf(python, size, "/usr/bin/python3");
    const char *const argv[] = {python, "-c", "import altair, h5py, vl_convert", NULL};
    bool is_here = access(python, X_OK) == 0 && child_ask(argv, &output) == STATUS_OK;
    if (is_here)
        free(output);
    return is_here;
}

/* By the first bench, since this program knows no device itself. */
static void take_first(void *arg, const char *name)
{
    char folder[4000], *program = arg;
    if (!*program)
        snprintf(program, 4096, "%s/%.60s", places_programs(folder, sizeof(folder)), name);
}

static void examine_gpus(struct report *report)
{
    char program[4096] = "";
    places_benches(take_first, program);
    if (!*program)
        return;
    if (devices_ask(program, &report->devices) != STATUS_OK) {
        devices_clear(&report->devices);
        report->devices = (struct devices){.count = 1, .found[0].name = "cuda"};
        snprintf(report->devices.found[0].reason, sizeof(report->devices.found[0].reason), "%s",
                 error_message());
    }
    for (int i = 0; i < report->devices.count; i++) {
        const struct devices_finding *found = &report->devices.found[i];
        if (strncmp(found->name, "cuda", strlen("cuda")) != 0)
            continue;
        char text[sizeof(report->gpus[0])];
        snprintf(text, sizeof(text), "%s%s%s", found->model, found->pci_bus_id[0] ? ", " : "",
                 found->pci_bus_id);
        memcpy(report->gpus[i], text, sizeof(text));
        add(report, found->name, !found->reason[0], report->gpus[i],
            found->model[0] ? report->gpus[i] : "GPUs are not measured", found->reason);
    }
}

static void examine(struct report *report)
{
    char benches[200] = "", suites[200], python[5000];
    int count = places_benches(count_bench, benches);
    places_suites(suites, sizeof(suites));
    add(report, "benches", count > 0, benches, "nothing can be measured",
        "cmake --build build/cpu");
    add(report, "suites", strcmp(suites, "none") != 0, suites, "'ridge run' needs a suite file",
        "set RIDGE_DATA to the folder that holds suites/");
    examine_gpus(report);
    add(report, "MPI", version_has_mpi(), "found when it was built",
        "links between processes and nodes are not measured",
        "sudo apt-get install libopenmpi-dev, then rebuild");
    bool plots = has_plot_packages(python, sizeof(python));
    add(report, "plots", plots, python, "no pictures; tables and the terminal chart still work",
        "bash ci/deps.sh plot");
    const char *huge =
        json_string_value(json_object_get(report->machine, "transparent_huge_pages"));
    add(report, "huge pages", huge && strcmp(huge, "never") != 0, huge ? huge : "",
        "large arrays lose some bandwidth to TLB misses",
        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
}

static void print_caches(const json_t *machine)
{
    size_t i;
    const json_t *level;
    char used[32], claimed[32], cpuid[32], probed[32], latency[32];
    printf("\ncache   used      sysfs     CPUID     probed    latency\n");
    json_array_foreach(json_object_get(machine, "caches"), i, level)
    {
        const struct {
            const char *key;
            char *text;
        } sizes[] = {{"capacity_bytes", used},
                     {"claimed_bytes", claimed},
                     {"cpuid_bytes", cpuid},
                     {"probed_bytes", probed}};
        for (size_t k = 0; k < 4; k++)
            format_bytes(json_number_value(json_object_get(level, sizes[k].key)), sizes[k].text,
                         32);
        format_seconds(json_number_value(json_object_get(level, "latency_seconds")), latency,
                       sizeof(latency));
        printf("%-7s %-9s %-9s %-9s %-9s %s\n", json_string_value(json_object_get(level, "name")),
               used, claimed, cpuid, probed, latency);
    }
}

static void print_text(const struct report *report)
{
    size_t i;
    const json_t *item;
    const char *model = json_string_value(json_object_get(report->machine, "cpu_model"));
    const char *threads = json_string_value(json_object_get(report->machine, "thread_reason"));
    printf("ridge %s (%s), %s\n\n%s\n%s\n", version_text(), version_commit(), version_compiler(),
           model ? model : "unknown processor", threads ? threads : "");
    print_caches(report->machine);
    printf("\n");
    for (int f = 0; f < report->count; f++) {
        const struct finding *finding = &report->findings[f];
        printf("%s %-10s  %s\n", finding->is_here ? "ok" : "--", finding->name,
               finding->is_here ? finding->detail : finding->cost);
        if (!finding->is_here)
            printf("               %s\n", finding->remedy);
    }
    printf("\n");
    json_array_foreach(json_object_get(report->machine, "peculiarities"), i, item)
        printf("! %s\n", json_string_value(json_object_get(item, "sentence")));
}

static void print_json(const struct report *report)
{
    json_t *findings = json_array();
    for (int f = 0; f < report->count; f++) {
        const struct finding *finding = &report->findings[f];
        json_array_append_new(findings, json_pack("{s:s, s:b, s:s, s:s, s:s}", "name",
                                                  finding->name, "found", (int)finding->is_here,
                                                  "detail", finding->detail, "cost_of_absence",
                                                  finding->cost, "remedy", finding->remedy));
    }
    json_t *all = json_pack("{s:s, s:s, s:O, s:o}", "version", version_text(), "commit",
                            version_commit(), "machine", report->machine, "findings", findings);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(all);
}

static enum status run(int argc, char **argv)
{
    struct report report = {0};
    struct levels levels;
    char *machine;
    argp_parse(&argp, argc, argv, 0, NULL, &report);
    TRY(levels_probe(&levels, LEVELS_PROBE_SECONDS));
    TRY(machine_describe(&levels, &machine));
    report.machine = json_loads(machine, 0, NULL);
    free(machine);
    examine(&report);
    char *devices = devices_json(&report.devices);
    if (devices)
        json_object_set_new(report.machine, "devices", json_loads(devices, 0, NULL));
    free(devices);
    if (report.as_json)
        print_json(&report);
    else
        print_text(&report);
    json_decref(report.machine);
    devices_clear(&report.devices);
    return STATUS_OK;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .summary = "what was found, what is missing, what that costs, how to mend it",
    .run = run,
};
