#include "harness/machine/machine.h"

#include "harness/machine/facts.h"
#include "harness/machine/machine_internal.h"
#include "harness/machine/peculiarities.h"
#include "harness/measure/virtual.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Values that may be unknown: null rather than a number that lies. */

static json_t *text_or_null(const char *text)
{
    json_t *value = text[0] ? json_string(text) : NULL;
    return value ? value : json_null(); /* also what is no UTF-8 */
}

static json_t *real_or_null(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *integer_or_null(int64_t value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

static json_t *switch_or_null(int value)
{
    return value >= 0 ? json_boolean(value) : json_null();
}

/* ---- The parts. Each sets its keys; a failed allocation shows at the end, in json_dumps. */

static void set_identity(json_t *object, const struct facts *facts)
{
    json_object_set_new(object, "host", text_or_null(facts->host));
    json_object_set_new(object, "cpu_model", text_or_null(facts->cpu_model));
    json_object_set_new(object, "cpu_vendor", text_or_null(facts->cpu_vendor));
    json_object_set_new(object, "family", integer_or_null(facts->family));
    json_object_set_new(object, "model", integer_or_null(facts->model));
    json_object_set_new(object, "stepping", integer_or_null(facts->stepping));
    json_object_set_new(object, "microcode", text_or_null(facts->microcode));
    json_object_set_new(object, "kernel", text_or_null(facts->kernel));
    json_object_set_new(object, "os", text_or_null(facts->os));
    json_object_set_new(object, "virtual_machine", json_boolean(facts->virtual_machine));
    json_object_set_new(object, "hypervisor", text_or_null(facts->hypervisor));
}

static void set_processors(json_t *object, const struct facts *facts)
{
    json_object_set_new(object, "cores", json_integer(facts->topology.core_count));
    json_object_set_new(object, "logical_processors",
                        json_integer(facts->topology.processor_count));
    json_object_set_new(object, "thread_count", json_integer(facts->placement.count));
    json_object_set_new(object, "thread_reason", text_or_null(facts->placement.reason));
    json_object_set_new(object, "smt", switch_or_null(facts->smt));
    json_object_set_new(object, "turbo", switch_or_null(facts->turbo));
    json_object_set_new(object, "governor", text_or_null(facts->governor));
    json_object_set_new(object, "clock_source", text_or_null(facts->clock_source));
    json_object_set_new(object, "core_clock_hz", real_or_null(facts->core_clock_hz));
    json_object_set_new(object, "time_stamp_counter_hz",
                        real_or_null(facts->time_stamp_counter_hz));
}

static void set_memory(json_t *object, const struct facts *facts)
{
    json_t *nodes = json_array();
    for (int i = 0; i < facts->topology.numa_count; i++)
        json_array_append_new(nodes, json_pack("{s:i, s:I}", "os_index",
                                               facts->topology.numa[i].os_index, "memory_bytes",
                                               (json_int_t)facts->topology.numa[i].memory_bytes));
    json_object_set_new(object, "numa_nodes", nodes);
    json_object_set_new(object, "memory_bytes", json_integer(facts->memory_bytes));
    json_object_set_new(object, "memory_available_bytes",
                        json_integer(facts->memory_available_bytes));
    json_object_set_new(object, "transparent_huge_pages", text_or_null(facts->huge_pages));
}

static json_t *cache_json(const struct level *level)
{
    json_t *cache = json_object();
    json_object_set_new(cache, "name", text_or_null(level->name));
    json_object_set_new(cache, "capacity_bytes", json_integer(level->capacity_bytes));
    json_object_set_new(cache, "claimed_bytes", json_integer(level->claimed_bytes));
    json_object_set_new(cache, "cpuid_bytes", json_integer(level->cpuid_bytes));
    json_object_set_new(cache, "probed_bytes", json_integer(level->probed_bytes));
    json_object_set_new(cache, "latency_seconds", real_or_null(level->latency_seconds));
    json_object_set_new(cache, "shared", json_boolean(level->shared));
    return cache;
}

static void set_caches(json_t *object, const struct facts *facts)
{
    json_t *caches = json_array();
    for (int i = 0; i < facts->levels.count; i++)
        json_array_append_new(caches, cache_json(&facts->levels.level[i]));
    json_object_set_new(object, "caches", caches);
    json_object_set_new(object, "memory_latency_seconds",
                        real_or_null(facts->levels.memory_latency_seconds));
}

/* The flags that decide which kernels run, of both architectures. */
static void set_isa_flags(json_t *object, const struct facts *facts)
{
    static const char *const flags[] = {
        "sse4_2",   "avx",      "avx2",        "f16c",     "fma",         "avx512f",
        "avx512bw", "avx512vl", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16",
        "amx_tile", "amx_int8", "amx_bf16",    "amx_fp16", "asimd",       "asimddp",
        "fphp",     "bf16",     "i8mm",        "sve",      "sve2",        "sme",
    };
    json_t *present = json_array();
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (virtual_cpu_flag(facts->cpuinfo, flags[i]))
            json_array_append_new(present, json_string(flags[i]));
    json_object_set_new(object, "isa_flags", present);
}

bool machine_keeps_variable(const char *assignment)
{
    static const char *const prefixes[] = {"NCCL_", "UCX_",   "OMPI_",   "OMP_",  "OPENBLAS_",
                                           "CUDA_", "CUBLAS", "NVIDIA_", "SLURM_"};
    static const char *const secrets[] = {"TOKEN",    "JWT", "SECRET",
                                          "PASSWORD", "KEY", "CREDENTIAL"};
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return false;
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        const char *found = strstr(assignment, secrets[i]);
        if (found && found < equals)
            return false;
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(assignment, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void set_environment(json_t *object, char *const *environment)
{
    json_t *kept = json_object();
    for (char *const *at = environment; *at; at++) {
        const char *equals = strchr(*at, '=');
        char *name = machine_keeps_variable(*at) ? strndup(*at, (size_t)(equals - *at)) : NULL;
        if (name)
            json_object_set_new(kept, name, text_or_null(equals + 1));
        free(name);
    }
    json_object_set_new(object, "environment", kept);
}

static void set_peculiarities(json_t *object, const struct facts *facts)
{
    struct peculiarities found;
    json_t *list = json_array();
    peculiarities_find(facts, &found);
    for (int i = 0; i < found.count; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "code", found.list[i].code, "sentence",
                                              found.list[i].sentence));
    json_object_set_new(object, "peculiarities", list);
}

enum status machine_facts_json(const struct facts *facts, char *const *environment, char **json)
{
    json_t *object = json_object();
    set_identity(object, facts);
    set_processors(object, facts);
    set_memory(object, facts);
    set_caches(object, facts);
    set_isa_flags(object, facts);
    set_environment(object, environment);
    set_peculiarities(object, facts);
    *json = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(object);
    if (!*json)
        return FAIL(STATUS_NO_MEMORY, "no memory for the description of this machine");
    return STATUS_OK;
}

enum status machine_describe(const struct levels *levels, char **json)
{
    struct facts facts;
    *json = NULL;
    TRY(facts_gather(levels, &facts));
    return machine_facts_json(&facts, environ, json);
}

enum status machine_add_devices(char **json, const char *devices_json)
{
    if (!devices_json)
        return STATUS_OK;
    json_t *object = json_loads(*json, 0, NULL), *devices = json_loads(devices_json, 0, NULL);
    json_object_set_new(object, "devices", devices);
    char *extended = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    json_decref(object);
    if (!extended)
        return FAIL(STATUS_NO_MEMORY, "no memory for the description of this machine's devices");
    free(*json);
    *json = extended;
    return STATUS_OK;
}
