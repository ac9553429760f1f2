#include "harness/measure/describe.h"

#include "kernels/kernels.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static json_t *describe_choices(const struct axis *axis)
{
    json_t *array = json_array();
    for (int i = 0; axis->choices && axis->choices[i]; i++)
        json_array_append_new(array, json_string(axis->choices[i]));
    return array;
}

static json_t *describe_axis(const struct axis *axis)
{
    static const char *const kinds[] = {[AXIS_CHOICE] = "choice",
                                        [AXIS_COUNT] = "count",
                                        [AXIS_BYTES] = "bytes",
                                        [AXIS_THREADS] = "threads",
                                        [AXIS_SHAPE] = "shape"};
    json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "name", axis->name, "kind",
                               kinds[axis->kind], "meaning", axis->meaning, "values", axis->values);
    if (axis->choices)
        json_object_set_new(object, "choices", describe_choices(axis));
    return object;
}

static json_t *describe_ladder(kernel_ladder ladder)
{
    json_t *array = json_array();
    for (; ladder && *ladder; ladder++)
        json_array_append_new(array, json_pack("{s:s, s:s, s:b}", "name", (*ladder)->name, "idea",
                                               (*ladder)->idea, "peer", (*ladder)->is_peer));
    return array;
}

static json_t *cuda_version(int number)
{
    char text[16];
    snprintf(text, sizeof(text), "%d.%d", number / 1000, number % 1000 / 10);
    return number > 0 ? json_string(text) : json_null();
}

static json_t *known(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static void add_facts(const struct device_facts *facts, json_t *object)
{
    char levels[160], capability[16];
    snprintf(capability, sizeof(capability), "%d.%d", facts->capability / 10,
             facts->capability % 10);
    json_t *more = json_pack(
        "{s:s, s:s, s:i, s:I, s:I, s:o, s:o, s:i, s:b, s:o, s:o, s:s}", "pci_bus_id",
        facts->pci_bus_id, "compute_capability", capability, "multiprocessors",
        facts->multiprocessors, "shared_bytes", (json_int_t)facts->shared_bytes, "memory_bytes",
        (json_int_t)facts->memory_bytes, "max_clock_hz", known(facts->max_clock_hz),
        "memory_clock_hz", known(facts->memory_clock_hz), "memory_bus_bits", facts->memory_bus_bits,
        "ecc", (int)facts->has_ecc, "driver_cuda", cuda_version(facts->driver_cuda), "runtime_cuda",
        cuda_version(facts->runtime_cuda), "levels",
        levels_format(&facts->levels, levels, sizeof(levels)));
    json_object_update_missing(object, more);
    json_decref(more);
}

void describe_device(void *file, const struct device_finding *finding)
{
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:b}", "device", finding->name, "model", finding->model,
                  "reason", finding->reason, "absent", (int)finding->is_absent);
    if (finding->facts.pci_bus_id[0])
        add_facts(&finding->facts, object);
    json_dumpf(object, file, JSON_COMPACT);
    fputc('\n', file);
    json_decref(object);
}

enum status describe_bench(const struct bench *bench, char **json)
{
    json_t *axes = json_array(), *dtypes = json_array();
    for (int i = 0; i < BENCH_MAX_AXES && bench->axes[i].name; i++) {
        json_array_append_new(axes, describe_axis(&bench->axes[i]));
        if (strcmp(bench->axes[i].name, "dtype") == 0)
            json_decref(dtypes), dtypes = describe_choices(&bench->axes[i]);
    }
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:s, s:i, s:o, s:o, s:{s:o}, s:{s:s, s:s, s:s}}", "schema", RECORD_SCHEMA,
        "name", bench->name, "question", bench->question, "counting", bench->counting,
        "method_version", bench->method_version, "axes", axes, "dtypes", dtypes, "kernels", "cpu",
        describe_ladder(cpu_kernels.family[bench->family]), "units", "bytes", "B per run",
        "operations", "operations per run", "seconds", "s per run");
    *json = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    json_decref(object);
    return *json ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory to describe %s", bench->name);
}
