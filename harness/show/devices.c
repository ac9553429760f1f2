/* Runs of several devices: which they are, and how tables tell them apart. */
#include "harness/base/format.h"
#include "harness/show/show.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

static bool is_listed(const struct show_devices *devices, const char *name)
{
    for (int i = 0; i < devices->count; i++)
        if (strcmp(devices->name[i], name) == 0)
            return true;
    return false;
}

void show_devices_of(const struct run *run, struct show_devices *devices)
{
    *devices = (struct show_devices){0};
    for (size_t i = 0; i < run->points_count && devices->count < SHOW_DEVICES_MOST; i++)
        if (!is_listed(devices, run->points[i].device))
            devices->name[devices->count++] = run->points[i].device;
}

enum status show_check_device(const struct run *run, const struct show_options *options)
{
    char have[256] = "";
    struct show_devices devices;
    show_devices_of(run, &devices);
    if (!options->device || is_listed(&devices, options->device))
        return STATUS_OK;
    for (int i = 0; i < devices.count; i++) {
        const size_t used = strlen(have);
        snprintf(have + used, sizeof(have) - used, "%s%s", i ? ", " : "", devices.name[i]);
    }
    return FAIL(STATUS_BAD_ARGUMENT, "no points of device '%s' in this run; it has: %s",
                options->device, have);
}

/* For people, and not only of the cpu. */
static bool stand_apart(const struct show_devices *devices, const struct show_options *options)
{
    const bool is_for_people = options->format == GRID_TEXT || options->format == GRID_MARKDOWN;
    for (int i = 0; i < devices->count; i++)
        if (record_device_is_gpu(devices->name[i]))
            return is_for_people;
    return false;
}

static json_t *find_device(const json_t *machine, const char *name)
{
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(machine, "devices"), i, device)
    {
        const char *is = json_string_value(json_object_get(device, "device"));
        if (is && strcmp(is, name) == 0)
            return device;
    }
    return NULL;
}

/* ", " and the words, where the value is known. */
__attribute__((format(printf, 4, 5))) static void append(char *line, size_t size, bool is_known,
                                                         const char *words, ...)
{
    const size_t used = strlen(line);
    va_list values;
    if (!is_known)
        return;
    snprintf(line + used, size - used, ", ");
    va_start(values, words);
    vsnprintf(line + strlen(line), size - strlen(line), words, values);
    va_end(values);
}

static void describe(const json_t *gpu, const char *name, char *line, size_t size)
{
    char text[32];
    const char *model = json_string_value(json_object_get(gpu, "model"));
    const char *capability = json_string_value(json_object_get(gpu, "compute_capability"));
    const char *driver = json_string_value(json_object_get(gpu, "driver_cuda"));
    const int multiprocessors = (int)json_integer_value(json_object_get(gpu, "multiprocessors"));
    const double bytes = json_number_value(json_object_get(gpu, "memory_bytes"));
    const double clock_hz = json_number_value(json_object_get(gpu, "max_clock_hz"));
    snprintf(line, size, "%s: %s", name, model ? model : "a GPU");
    append(line, size, capability, "compute capability %s", capability);
    append(line, size, multiprocessors > 0, "%d multiprocessors", multiprocessors);
    append(line, size, bytes > 0, "%s", format_bytes(bytes, text, sizeof(text)));
    append(line, size, clock_hz > 0, "at most %s", format_si(clock_hz, "Hz", text, sizeof(text)));
    append(line, size, driver, "driver of CUDA %s", driver);
}

void show_device(const char *machine_json, const char *name, FILE *file)
{
    char line[400];
    json_t *machine = json_loads(machine_json ? machine_json : "{}", 0, NULL);
    const json_t *gpu = find_device(machine, name);
    if (gpu) {
        describe(gpu, name, line, sizeof(line));
        show_wrapped(line, file);
    }
    json_decref(machine);
}

enum status show_by_device(const struct run *run, const struct show_options *options,
                           show_table table, uint32_t *flags, FILE *file)
{
    struct show_devices devices;
    bool is_next = false;
    show_devices_of(run, &devices);
    if (!stand_apart(&devices, options))
        return table(run, options, NULL, flags, file);
    for (int i = 0; i < devices.count; i++) {
        if (!show_device_fits(options, NULL, devices.name[i]))
            continue;
        fprintf(file, "%s%s:\n%s", is_next ? "\n" : "", devices.name[i],
                options->format == GRID_TEXT ? "" : "\n");
        is_next = true;
        TRY(table(run, options, devices.name[i], flags, file));
    }
    return STATUS_OK;
}

bool show_device_fits(const struct show_options *options, const char *device, const char *row)
{
    const char *asked = device ? device : options->device;
    return !asked || strcmp(asked, row) == 0;
}

const char *show_part(struct part part, char *text, size_t size)
{
    if (record_device_is_gpu(part.device))
        snprintf(text, size, "%s, %s", part.dtype, part.device);
    else
        snprintf(text, size, "%s, %d thread%s", part.dtype, part.threads,
                 part.threads == 1 ? "" : "s");
    return text;
}
