/* What stands above and below every table: the machine, and the flags explained. */
#include "harness/base/fold.h"
#include "harness/base/format.h"
#include "harness/model/drift.h"
#include "harness/show/show.h"

#include <jansson.h>
#include <string.h>

static const double UNSTEADY = 0.05;

void show_wrapped(const char *text, FILE *file)
{
    fold_print(file, text, 0, 2);
}

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

/* A run that is not measured must never be read as one. */
static void print_sources(const struct run *run, FILE *file)
{
    bool seen[SOURCE_COUNT] = {false};
    for (size_t i = 0; i < run->points_count; i++)
        seen[run->points[i].source] = true;
    for (int s = SOURCE_measured + 1; s < SOURCE_COUNT; s++)
        if (seen[s])
            fprintf(file, "NOT MEASURED: this run holds %s points.\n",
                    record_source_name((enum source)s));
}

/* Whether two runs can be expected to agree: how far the same two cases moved within this one. */
static void print_drift(const struct run *run, const char *device, const char *of, FILE *file)
{
    struct drift drift;
    char line[256];
    if (drift_of(run, device, &drift) != STATUS_OK || drift.rounds < 2)
        return;
    snprintf(line, sizeof(line),
             "drift%s%s: over %d rounds the memory control moved by %.0f %%, the arithmetic one by "
             "%.1f %%%s",
             of, *of ? device : "", drift.rounds, 100 * drift.memory, 100 * drift.arithmetic,
             drift.memory > UNSTEADY || drift.arithmetic > UNSTEADY
                 ? ": this machine was unsteady, another run may differ by as much"
                 : "");
    show_wrapped(line, file);
}

/* Of each device that is shown: what it is, or how it drifted. Its name goes without saying where
 * there is only one. */
static void print_devices(const struct run *run, const struct show_options *options, bool is_drift,
                          FILE *file)
{
    struct show_devices devices;
    show_devices_of(run, &devices);
    for (int i = 0; i < devices.count; i++) {
        if (!show_device_fits(options, NULL, devices.name[i]))
            continue;
        if (is_drift)
            print_drift(run, devices.name[i], devices.count > 1 ? " of " : "", file);
        else
            show_device(run->machine_json, devices.name[i], file);
    }
}

static void print_peculiarities(const json_t *machine, FILE *file)
{
    size_t i;
    const json_t *item;
    char line[512];
    json_array_foreach(json_object_get(machine, "peculiarities"), i, item)
    {
        snprintf(line, sizeof(line), "! %s", text_of(item, "sentence", ""));
        show_wrapped(line, file);
    }
}

void show_machine(const struct run *run, const struct show_options *options, FILE *file)
{
    if (options->format != GRID_TEXT && options->format != GRID_MARKDOWN)
        return;
    json_t *machine = json_loads(run->machine_json ? run->machine_json : "{}", 0, NULL);
    json_t *meta = json_loads(run->meta_json ? run->meta_json : "{}", 0, NULL);
    char line[512], memory[32];
    double memory_bytes = json_number_value(json_object_get(machine, "memory_bytes"));
    snprintf(line, sizeof(line), "%s: %s, %s, %s", text_of(machine, "host", "?"),
             text_of(machine, "cpu_model", "?"), text_of(machine, "thread_reason", "?"),
             format_bytes(memory_bytes, memory, sizeof(memory)));
    show_wrapped(line, file);
    print_devices(run, options, false, file);
    snprintf(line, sizeof(line), "suite %s, %s, ridge %s (%s)%s", text_of(meta, "suite", "?"),
             text_of(meta, "started", "?"), text_of(meta, "tool_version", "?"),
             text_of(meta, "commit", "?"),
             json_is_true(json_object_get(meta, "complete")) ? "" : ", INCOMPLETE");
    show_wrapped(line, file);
    print_sources(run, file);
    print_devices(run, options, true, file);
    print_peculiarities(machine, file);
    fputc('\n', file);
    json_decref(machine);
    json_decref(meta);
}

void show_flags(uint32_t flags, const struct show_options *options, FILE *file)
{
    char line[256];
    if (!flags || (options->format != GRID_TEXT && options->format != GRID_MARKDOWN))
        return;
    fputc('\n', file);
    for (int i = 0; i < FLAG_COUNT; i++)
        if (flags & (1u << i)) {
            snprintf(line, sizeof(line), "%c  %s: %s", record_flag_mark((enum record_flag_bit)i),
                     record_flag_name((enum record_flag_bit)i),
                     record_flag_text((enum record_flag_bit)i));
            show_wrapped(line, file);
        }
}
