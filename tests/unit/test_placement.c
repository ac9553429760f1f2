#include "harness/base/clock.h"
#include "harness/measure/core_clock.h"
#include "harness/measure/cpu_model.h"
#include "harness/measure/foreign_load.h"
#include "harness/measure/placement_internal.h"
#include "harness/measure/virtual.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- Placement. */

/* `count` processors, of which i and i + cores are hardware threads of one core. */
static struct placement_facts processors(int count, int cores)
{
    struct placement_facts facts = {.cpu_count = count};
    for (int i = 0; i < count; i++) {
        facts.cpus[i] = i;
        facts.cores[i] = i % cores;
    }
    return facts;
}

static void without_limits_every_core_gets_a_thread(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = processors(2, 2);
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 2);
    assert_string_equal(placement.reason, "2 threads: affinity allows 2 processors, no cgroup "
                                          "quota, 2 cores without hyperthreads");
}

static void a_quota_of_one_and_a_half_gives_one_thread(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = processors(8, 8);
    facts.quota_cpus = 1.5;
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 1);
    assert_non_null(strstr(placement.reason, "a cgroup quota grants 1.5"));
    assert_int_equal(placement.allowed_count, 8);
}

static void a_quota_below_one_still_gives_one_thread(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = processors(8, 8);
    facts.quota_cpus = 0.25;
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 1);
}

static void of_hyperthreads_one_per_core_is_used(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = processors(8, 4);
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(placement.cpus[i], i);
    assert_non_null(strstr(placement.reason, "hardware threads of 4 cores, one of each used"));
}

static void an_affinity_mask_with_second_hyperthreads_only_uses_those(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = {.cpu_count = 2, .cpus = {5, 6}, .cores = {1, 2}};
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 2);
    assert_int_equal(placement.cpus[0], 5);
    assert_int_equal(placement.cpus[1], 6);
}

static void without_topology_files_every_processor_counts_as_a_core(void **state)
{
    (void)state;
    struct placement placement;
    struct placement_facts facts = processors(4, 4);
    placement_cores_at("/nonexistent", &facts);
    assert_int_equal(facts.cores[0], -1);
    placement_decide(&facts, &placement);
    assert_int_equal(placement.count, 4);
}

static void siblings_are_read_from_either_of_the_two_files(void **state)
{
    (void)state;
    struct fake_files files;
    struct placement_facts facts = processors(3, 3);
    fake_files_open(&files);
    fake_files_put(&files, "cpu0/topology/core_cpus_list", "0-1\n");
    fake_files_put(&files, "cpu1/topology/core_cpus_list", "0-1\n");
    fake_files_put(&files, "cpu2/topology/thread_siblings_list", "2,66\n");
    placement_cores_at(files.root, &facts);
    fake_files_close(&files);
    assert_int_equal(facts.cores[1], 0);
    assert_int_equal(facts.cores[2], 2);
}

static void a_list_that_is_none_has_no_first_cpu(void **state)
{
    (void)state;
    assert_int_equal(placement_first_cpu("3,67"), 3);
    assert_int_equal(placement_first_cpu("0-1"), 0);
    assert_int_equal(placement_first_cpu(""), -1);
    assert_int_equal(placement_first_cpu("-1"), -1);
}

static void the_tightest_quota_of_a_group_and_its_parents_counts(void **state)
{
    (void)state;
    struct fake_files files;
    fake_files_open(&files);
    fake_files_put(&files, "cpu.max", "max 100000\n");
    fake_files_put(&files, "pod/cpu.max", "150000 100000\n");
    fake_files_put(&files, "pod/box/cpu.max", "400000 100000\n");
    double inner = placement_quota_at(files.root, "0::/pod/box\n");
    double outside = placement_quota_at(files.root, "0::/\n");
    double elsewhere = placement_quota_at(files.root, "0::/not/here\n");
    fake_files_close(&files);
    assert_true(fabs(inner - 1.5) < 1e-12);
    assert_true(outside == 0);
    assert_true(elsewhere == 0);
}

static void a_quota_of_cgroup_v1_is_read_and_minus_one_means_none(void **state)
{
    (void)state;
    struct fake_files files;
    fake_files_open(&files);
    fake_files_put(&files, "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    fake_files_put(&files, "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    fake_files_put(&files, "cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n");
    fake_files_put(&files, "cpu,cpuacct/box/cpu.cfs_period_us", "25000\n");
    fake_files_put(&files, "cpu/box/cpu.cfs_quota_us", "25000\n");
    fake_files_put(&files, "cpu/box/cpu.cfs_period_us", "25000\n");
    double apart = placement_quota_at(files.root, "4:cpu:/box\n");
    double boxed = placement_quota_at(files.root, "9:cpuset:/other\n4:cpu,cpuacct:/box\n0::/\n");
    double open = placement_quota_at(files.root, "4:cpu,cpuacct:/\n");
    double other = placement_quota_at(files.root, "4:cpuset:/box\n");
    fake_files_close(&files);
    assert_true(fabs(apart - 1) < 1e-12);
    assert_true(fabs(boxed - 1) < 1e-12); /* either mount point may be the right one */
    assert_true(open == 0);
    assert_true(other == 0);
}

static void no_cgroup_files_and_nonsense_mean_no_quota(void **state)
{
    (void)state;
    assert_true(placement_quota_at("/nonexistent", "0::/a/b\n4:cpu:/c\n") == 0);
    assert_true(placement_quota_at("/nonexistent", "") == 0);
    assert_true(placement_quota_at("/nonexistent", "nonsense\n\n::") == 0);
}

static void this_machine_gives_at_least_one_thread_and_a_reason(void **state)
{
    (void)state;
    struct placement placement;
    assert_int_equal(placement_choose(&placement), STATUS_OK);
    assert_true(placement.count >= 1 && placement.count <= placement.allowed_count);
    assert_non_null(strstr(placement.reason, "affinity allows"));
}

/* ---- Foreign load. */

static void a_line_of_proc_stat_is_read_with_steal_apart(void **state)
{
    (void)state;
    struct cpu_times times;
    assert_true(foreign_load_parse("cpu  100 10 200 9999 50 5 6 70 30 0\ncpu0 1", 100, &times));
    assert_true(fabs(times.busy_seconds - 3.21) < 1e-12);
    assert_true(fabs(times.steal_seconds - 0.70) < 1e-12);
}

static void what_is_no_proc_stat_is_refused(void **state)
{
    (void)state;
    struct cpu_times times;
    assert_false(foreign_load_parse("", 100, &times));
    assert_false(foreign_load_parse("cpu 1 2 3", 100, &times));
    assert_false(foreign_load_parse("cpu0 1 2 3 4 5 6 7 8", 100, &times));
    assert_false(foreign_load_parse("cpu  1 2 3 4 5 6 7 8", 0, &times));
}

static void the_load_of_others_is_the_machines_minus_ours(void **state)
{
    (void)state;
    struct cpu_times first = {.at_seconds = 10, .busy_seconds = 100, .own_seconds = 40};
    struct cpu_times last = {.at_seconds = 12, .busy_seconds = 103, .own_seconds = 42};
    assert_true(fabs(foreign_load_between(&first, &last) - 0.5) < 1e-12);
    last.own_seconds = 44; /* ticks lag behind: less than nothing is nothing */
    assert_true(foreign_load_between(&first, &last) == 0);
    last.at_seconds = 10.04;
    assert_true(foreign_load_between(&first, &last) < 0);
}

static void a_rolling_reader_knows_nothing_before_50_ms(void **state)
{
    (void)state;
    struct foreign_load load;
    const struct timespec pause = {.tv_nsec = 60 * 1000 * 1000};
    foreign_load_begin(&load);
    double start_seconds = load.readings[0].at_seconds;
    assert_int_equal(load.count, 1);
    assert_true(foreign_load_update(&load, start_seconds + 0.01) < 0);
    assert_int_equal(load.count, 1);
    for (int i = 0; i < FOREIGN_LOAD_WINDOW + 2; i++) {
        nanosleep(&pause, NULL);
        assert_true(foreign_load_update(&load, clock_seconds()) >= 0);
    }
    assert_int_equal(load.count, FOREIGN_LOAD_WINDOW);
    assert_int_equal(load.newest, 2);
}

static void a_reader_without_proc_stat_stays_ignorant(void **state)
{
    (void)state;
    struct foreign_load load = {.count = 0, .cores = -1};
    assert_true(foreign_load_update(&load, 1e9) < 0);
}

/* ---- Clocks and virtual machines. */

static void the_core_clock_is_plausible_and_hardly_depends_on_the_length(void **state)
{
    (void)state;
    double best_hz = 0, long_hz = core_clock_hz(1e-3);
    for (int i = 0; i < 20; i++)
        best_hz = fmax(best_hz, core_clock_hz(1e-5));
    assert_true(best_hz > 2e8 && best_hz < 2e10);
    assert_true(best_hz > 0.8 * long_hz);
}

static void the_counter_counts_as_fast_twice(void **state)
{
    (void)state;
    double first_hz = time_stamp_counter_hz(), second_hz = time_stamp_counter_hz();
    assert_true(fabs(first_hz - second_hz) <= 1e-3 * first_hz);
}

static const char *model_of(const char *text, char *model, size_t size)
{
    FILE *cpuinfo = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(cpuinfo);
    cpu_model_read(cpuinfo, model, size);
    fclose(cpuinfo);
    return model;
}

static void a_processor_without_a_name_is_called_by_its_numbers(void **state)
{
    (void)state;
    char model[64];
    assert_string_equal(model_of("model\t\t: 17\nmodel name\t: AMD EPYC\n", model, sizeof(model)),
                        "AMD EPYC");
    assert_string_equal(model_of("processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
                                 "CPU part\t: 0xd4f\nCPU revision\t: 0\n",
                                 model, sizeof(model)),
                        "Arm implementer 0x41 part 0xd4f");
    assert_string_equal(model_of("processor\t: 0\nCPU part\t: 0xd4f\n", model, sizeof(model)),
                        "unknown");
}

static void a_flag_is_a_whole_word_of_the_flags_line(void **state)
{
    (void)state;
    static const char cpuinfo[] = "processor\t: 0\nmodel name\t: avx machine\n"
                                  "flags\t\t: fpu avx512f hypervisor\nbugs\t: smt_rsb\n";
    assert_true(virtual_cpu_flag(cpuinfo, "hypervisor"));
    assert_true(virtual_cpu_flag(cpuinfo, "fpu"));
    assert_false(virtual_cpu_flag(cpuinfo, "avx512"));
    assert_false(virtual_cpu_flag(cpuinfo, "avx"));
    assert_false(virtual_cpu_flag(cpuinfo, "smt_rsb"));
    assert_false(virtual_cpu_flag("", "fpu"));
}

static void dmi_names_tell_virtual_machines_from_metal(void **state)
{
    (void)state;
    assert_string_equal(virtual_dmi_hypervisor("QEMU Standard PC (Q35 + ICH9, 2009)"), "KVM");
    assert_string_equal(virtual_dmi_hypervisor("Microsoft Corporation Virtual Machine"), "Hyper-V");
    assert_null(virtual_dmi_hypervisor("Amazon EC2 c5.metal"));
    assert_null(virtual_dmi_hypervisor(" "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_every_core_gets_a_thread),
        cmocka_unit_test(a_quota_of_one_and_a_half_gives_one_thread),
        cmocka_unit_test(a_quota_below_one_still_gives_one_thread),
        cmocka_unit_test(of_hyperthreads_one_per_core_is_used),
        cmocka_unit_test(an_affinity_mask_with_second_hyperthreads_only_uses_those),
        cmocka_unit_test(without_topology_files_every_processor_counts_as_a_core),
        cmocka_unit_test(siblings_are_read_from_either_of_the_two_files),
        cmocka_unit_test(a_list_that_is_none_has_no_first_cpu),
        cmocka_unit_test(the_tightest_quota_of_a_group_and_its_parents_counts),
        cmocka_unit_test(a_quota_of_cgroup_v1_is_read_and_minus_one_means_none),
        cmocka_unit_test(no_cgroup_files_and_nonsense_mean_no_quota),
        cmocka_unit_test(this_machine_gives_at_least_one_thread_and_a_reason),
        cmocka_unit_test(a_line_of_proc_stat_is_read_with_steal_apart),
        cmocka_unit_test(what_is_no_proc_stat_is_refused),
        cmocka_unit_test(the_load_of_others_is_the_machines_minus_ours),
        cmocka_unit_test(a_rolling_reader_knows_nothing_before_50_ms),
        cmocka_unit_test(a_reader_without_proc_stat_stays_ignorant),
        cmocka_unit_test(the_core_clock_is_plausible_and_hardly_depends_on_the_length),
        cmocka_unit_test(the_counter_counts_as_fast_twice),
        cmocka_unit_test(a_processor_without_a_name_is_called_by_its_numbers),
        cmocka_unit_test(a_flag_is_a_whole_word_of_the_flags_line),
        cmocka_unit_test(dmi_names_tell_virtual_machines_from_metal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
