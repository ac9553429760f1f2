#include "harness/base/units.h"
#include "harness/machine/facts.h"
#include "harness/machine/machine.h"
#include "harness/machine/machine_internal.h"
#include "harness/machine/peculiarities.h"
#include "tests/unit/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A machine about which there is nothing to say. */
static struct facts plain(void)
{
    struct facts facts = {
        .host = "node1",
        .cpu_model = "Plain CPU",
        .cpuinfo = "processor : 0\nflags : fpu avx2 fma avx512f\n",
        .topology = {.core_count = 4,
                     .processor_count = 4,
                     .numa_count = 1,
                     .numa = {{.os_index = 0, .memory_bytes = 24000000000}}},
        .placement = {.count = 4, .allowed_count = 4, .core_count = 4, .reason = "4 threads"},
        .levels = {.count = 1,
                   .level = {{.name = "L3",
                              .capacity_bytes = MIB(32),
                              .claimed_bytes = MIB(32),
                              .cpuid_bytes = MIB(32),
                              .probed_bytes = MIB(32),
                              .shared = 1}}},
        .memory_bytes = 24105000000,
        .memory_available_bytes = 20000000000,
        .core_clock_hz = 2.6e9,
        .time_stamp_counter_hz = 2.6e9,
        .huge_pages = "madvise",
        .governor = "performance",
        .family = -1,
        .turbo = -1,
        .smt = 0,
    };
    return facts;
}

/* Asserts that exactly one thing is peculiar, with this code and sentence. */
static void assert_only(const struct facts *facts, const char *code, const char *sentence)
{
    struct peculiarities found;
    peculiarities_find(facts, &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].code, code);
    assert_string_equal(found.list[0].sentence, sentence);
}

static void a_plain_machine_has_no_peculiarities(void **state)
{
    (void)state;
    struct peculiarities found;
    struct facts facts = plain();
    peculiarities_find(&facts, &found);
    assert_int_equal(found.count, 0);
}

static void an_l3_that_cpuid_exaggerates_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.levels.level[0].cpuid_bytes = MIB(320);
    assert_only(&facts, "cache_claim",
                "CPUID claims 320 MiB of L3, sysfs 32 MiB; a pointer chase finds 32 MiB: that is "
                "used");
}

static void an_l3_without_sysfs_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.levels.level[0].cpuid_bytes = facts.levels.level[0].claimed_bytes = MIB(508);
    assert_only(&facts, "cache_claim",
                "CPUID claims 508 MiB of L3; a pointer chase finds 32 MiB: that is used");
}

static void a_share_taken_by_neighbours_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.levels.level[0].probed_bytes = MIB(12);
    assert_only(&facts, "cache_share",
                "L3 has 32 MiB, but a pointer chase finds 12 MiB of it: others use the rest, so "
                "larger sets partly miss; 32 MiB is used");
    facts.levels.level[0].cpuid_bytes = MIB(320);
    assert_only(&facts, "cache_claim",
                "CPUID claims 320 MiB of L3, sysfs 32 MiB; a pointer chase finds 12 MiB free of "
                "neighbours: 32 MiB is used");
}

static void a_cache_that_was_not_probed_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.levels.level[0].probed_bytes = 0;
    assert_only(&facts, "cache_not_probed",
                "no probe has confirmed the size of L3: it is used as claimed");
}

static void numa_memory_that_disagrees_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.topology.numa[0].memory_bytes = 7002000000;
    assert_only(&facts, "numa_memory",
                "NUMA node 0 claims 7.00 GB, the machine has 24.1 GB: the machine's total is used");
    facts.topology.numa_count = 2;
    assert_only(&facts, "numa_memory",
                "the 2 NUMA nodes claim 7.00 GB together, the machine has 24.1 GB: the machine's "
                "total is used");
}

static void a_counter_that_does_not_count_cycles_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    facts.core_clock_hz = 3.7e9;
    assert_only(&facts, "clock_is_not_tsc",
                "the core runs at 3.70 GHz, the time-stamp counter at 2.60 GHz: its ticks are no "
                "cycles, and cycles are probed");
    facts.core_clock_hz = 0;
    struct peculiarities found;
    peculiarities_find(&facts, &found);
    assert_int_equal(found.count, 0);
}

static void each_setting_and_limit_has_its_sentence(void **state)
{
    (void)state;
    static const char *const codes[] = {
        "governor",   "virtual_machine",   "foreign_load", "steal_time",
        "huge_pages", "openblas_coretype", "cpu_quota",    "smt"};
    struct peculiarities found;
    struct facts facts = plain();
    facts.virtual_machine = true;
    facts.foreign_cores = 0.4;
    facts.steal_cores = 0.2;
    strcpy(facts.governor, "powersave");
    strcpy(facts.huge_pages, "never");
    strcpy(facts.openblas_coretype, "Haswell");
    facts.placement.quota_cpus = 1.5;
    facts.placement.count = 1;
    facts.placement.core_count = 2;
    peculiarities_find(&facts, &found);
    assert_int_equal(found.count, sizeof(codes) / sizeof(codes[0]));
    for (int i = 0; i < found.count; i++) {
        assert_string_equal(found.list[i].code, codes[i]);
        assert_true(strlen(found.list[i].sentence) < sizeof(found.list[i].sentence) - 1);
    }
}

static void unknown_load_is_no_load(void **state)
{
    (void)state;
    struct peculiarities found;
    struct facts facts = plain();
    facts.foreign_cores = facts.steal_cores = -1;
    peculiarities_find(&facts, &found);
    assert_int_equal(found.count, 0);
}

static void a_key_of_cpuinfo_is_the_whole_key_of_the_first_processor(void **state)
{
    (void)state;
    static const char cpuinfo[] = "model\t\t: 17\nmodel name\t: AMD EPYC\nempty\t:\n\n"
                                  "model name\t: another\nstepping\t: 1\n";
    char value[32];
    assert_string_equal(facts_cpuinfo_value(cpuinfo, "model", value, sizeof(value)), "17");
    assert_string_equal(facts_cpuinfo_value(cpuinfo, "model name", value, 32), "AMD EPYC");
    assert_string_equal(facts_cpuinfo_value(cpuinfo, "empty", value, sizeof(value)), "");
    assert_string_equal(facts_cpuinfo_value(cpuinfo, "stepping", value, sizeof(value)), "");
    assert_string_equal(facts_cpuinfo_value("", "model", value, sizeof(value)), "");
    assert_string_equal(facts_cpuinfo_value("model", "model", value, sizeof(value)), "");
}

static void small_texts_are_read_or_empty(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(facts_os_name("ID=x\nPRETTY_NAME=\"Debian 12\"\n", text, 64), "Debian 12");
    assert_string_equal(facts_os_name("PRETTY_NAME=Arch\nID=x", text, 64), "Arch");
    assert_string_equal(facts_os_name("ID=x\n", text, 64), "");
    assert_string_equal(facts_bracketed("always [madvise] never", text, 64), "madvise");
    assert_string_equal(facts_bracketed("always [madvise", text, 64), "");
    assert_string_equal(facts_bracketed("", text, 64), "");
}

static void the_environment_keeps_what_steers_libraries_and_no_secrets(void **state)
{
    (void)state;
    assert_true(machine_keeps_variable("OMP_NUM_THREADS=4"));
    assert_true(machine_keeps_variable("NCCL_DEBUG="));
    assert_false(machine_keeps_variable("SLURM_JWT=abc"));
    assert_false(machine_keeps_variable("HOME=/OMP_"));
    assert_false(machine_keeps_variable("OMP_NUM_THREADS"));
    assert_true(machine_keeps_variable("OMP_PLACES=TOKEN"));
}

static void the_json_says_null_for_what_is_not_known(void **state)
{
    (void)state;
    char *const environment[] = {"OMP_NUM_THREADS=4", "HOME=/root", NULL};
    struct facts facts = plain();
    char *text;
    facts.governor[0] = '\0';
    assert_int_equal(machine_facts_json(&facts, environment, &text), STATUS_OK);
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(json);
    assert_true(json_is_null(json_object_get(json, "governor")));
    assert_true(json_is_null(json_object_get(json, "family")));
    assert_true(json_is_null(json_object_get(json, "turbo")));
    assert_true(json_is_false(json_object_get(json, "smt")));
    json_t *kept = json_object_get(json, "environment");
    assert_int_equal(json_object_size(kept), 1);
    assert_string_equal(json_string_value(json_object_get(kept, "OMP_NUM_THREADS")), "4");
    json_t *flags = json_object_get(json, "isa_flags");
    assert_int_equal(json_array_size(flags), 3);
    assert_string_equal(json_string_value(json_array_get(flags, 0)), "avx2");
    json_decref(json);
}

static void what_is_not_measured_is_named(void **state)
{
    (void)state;
    struct facts facts = plain();
    struct peculiarities found;
    snprintf(facts.unmeasured, sizeof(facts.unmeasured), "AMX-BF16, AMX-INT8");
    peculiarities_find(&facts, &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.list[0].code, "not_measured");
    assert_non_null(strstr(found.list[0].sentence, "has AMX-BF16, AMX-INT8, which no kernel uses"));
}

static void this_machine_is_described_with_every_key(void **state)
{
    (void)state;
    static const char *const keys[] = {"host",
                                       "cpu_model",
                                       "cpu_vendor",
                                       "family",
                                       "model",
                                       "stepping",
                                       "microcode",
                                       "cores",
                                       "caches",
                                       "environment",
                                       "thread_count",
                                       "logical_processors",
                                       "numa_nodes",
                                       "memory_bytes",
                                       "thread_reason",
                                       "memory_available_bytes",
                                       "kernel",
                                       "os",
                                       "virtual_machine",
                                       "hypervisor",
                                       "clock_source",
                                       "core_clock_hz",
                                       "turbo",
                                       "time_stamp_counter_hz",
                                       "governor",
                                       "smt",
                                       "isa_flags",
                                       "transparent_huge_pages",
                                       "peculiarities"};
    struct levels levels;
    char *text;
    levels_claimed(&levels);
    assert_int_equal(machine_describe(&levels, &text), STATUS_OK);
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(json);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_non_null(json_object_get(json, keys[i]));
    assert_true(json_integer_value(json_object_get(json, "cores")) >= 1);
    assert_true(json_integer_value(json_object_get(json, "memory_bytes")) > 0);
    json_decref(json);
}

static void the_topology_is_xml_of_hwloc(void **state)
{
    (void)state;
    char *xml;
    assert_int_equal(machine_topology_xml(&xml), STATUS_OK);
    assert_non_null(strstr(xml, "<topology"));
    assert_non_null(strstr(xml, "type=\"Machine\""));
    free(xml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_machine_has_no_peculiarities),
        cmocka_unit_test(an_l3_that_cpuid_exaggerates_is_named),
        cmocka_unit_test(an_l3_without_sysfs_is_named),
        cmocka_unit_test(a_share_taken_by_neighbours_is_named),
        cmocka_unit_test(a_cache_that_was_not_probed_is_named),
        cmocka_unit_test(numa_memory_that_disagrees_is_named),
        cmocka_unit_test(a_counter_that_does_not_count_cycles_is_named),
        cmocka_unit_test(each_setting_and_limit_has_its_sentence),
        cmocka_unit_test(unknown_load_is_no_load),
        cmocka_unit_test(a_key_of_cpuinfo_is_the_whole_key_of_the_first_processor),
        cmocka_unit_test(small_texts_are_read_or_empty),
        cmocka_unit_test(the_environment_keeps_what_steers_libraries_and_no_secrets),
        cmocka_unit_test(the_json_says_null_for_what_is_not_known),
        cmocka_unit_test(what_is_not_measured_is_named),
        cmocka_unit_test(this_machine_is_described_with_every_key),
        cmocka_unit_test(the_topology_is_xml_of_hwloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
