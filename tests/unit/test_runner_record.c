/* What the runner writes into a record, and how the records leave it. */
#include "tests/unit/trial_bench.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* ---- What a record says. */

static void a_point_says_what_was_measured_and_how(void **state)
{
    struct bed *bed = *state;
    plan_trial(bed, "conduct=right", "number=7");
    run_plan(bed);
    const struct record *point = &bed->result.points[0];
    char cpu[16];
    snprintf(cpu, sizeof(cpu), "%d", bed->device->info.cpus[0]);
    assert_string_equal(point->params, "{\"conduct\":\"right\",\"number\":7}");
    assert_string_equal(point->case_id, bed->plan.cases[0].case_id);
    assert_string_equal(point->run_id, "a run");
    assert_string_equal(point->isa, bed->device->info.isa);
    assert_string_equal(point->cache, "warm");
    assert_string_equal(point->fill, "random");
    assert_string_equal(point->cpus, cpu);
    assert_int_equal(point->source, SOURCE_fake);
    assert_int_equal(point->threads, 1);
    assert_int_equal(point->rounds_planned, ROUNDS);
    assert_true(point->bytes == 12 && point->bus_bytes == 16 && point->link_bytes == 3 &&
                point->operations == 5);
    assert_true(point->working_set_bytes >= COUNT * sizeof(float));
    assert_true(point->target_half_width == 0.01 && point->clock_tick_seconds == 1e-9);
    assert_true(seen.amplitude == 1);
}

static enum status stop_unsteadily(struct device *d, double *elapsed_seconds)
{
    (void)d;
    *elapsed_seconds = seen.runs % 2 ? 1e-3 : 2e-3;
    return STATUS_OK;
}

static double jumping_clock_hz(struct device *d)
{
    (void)d;
    return seen.runs % 2 ? 3e9 : 2e9;
}

static double little_huge(struct device *d, const void *buffer, size_t size_bytes)
{
    (void)d, (void)buffer, (void)size_bytes;
    return 0.5;
}

static uint32_t flags_of_one_case(struct bed *bed)
{
    plan_trial(bed, "conduct=right", "number=1");
    run_plan(bed);
    check_outcome(&bed->result.points[0], RECORD_ok, "");
    return bed->result.points[0].flags;
}

static void a_quiet_case_raises_no_flag_but_that_six_samples_are_few(void **state)
{
    struct bed *bed = *state;
    bed->device->info.virtual_machine = false;
    assert_int_equal(flags_of_one_case(bed), FLAG_too_few_samples);
}

static void constant_data_is_flagged(void **state)
{
    struct bed *bed = *state;
    bed->device->info.virtual_machine = false;
    bed->context.constant_fill = true;
    assert_int_equal(flags_of_one_case(bed), FLAG_too_few_samples | FLAG_constant_data);
    assert_string_equal(bed->result.points[0].fill, "zero");
    assert_true(seen.amplitude == 0);
}

static void whatever_disturbs_a_case_is_flagged(void **state)
{
    struct bed *bed = *state;
    bed->device->info.virtual_machine = true;
    bed->backend.core_clock_hz = jumping_clock_hz;
    bed->backend.huge_fraction = little_huge;
    bed->backend.clock_stop = stop_unsteadily;
    assert_int_equal(flags_of_one_case(bed), FLAG_too_few_samples | FLAG_virtual_machine |
                                                 FLAG_clock_unsteady | FLAG_huge_pages_refused |
                                                 FLAG_unsteady);
}

/* 409604 bytes: more than the last cache here, and less than four times as much. */
static void a_working_set_between_the_last_cache_and_memory_is_flagged(void **state)
{
    struct bed *bed = *state;
    struct level *last = &bed->device->info.levels.level[2];
    last->capacity_bytes = 200 << 10;
    assert_int_equal(flags_of_one_case(bed), FLAG_too_few_samples | FLAG_cache_resident);
}

static void a_working_set_of_four_times_the_last_cache_is_not_flagged(void **state)
{
    struct bed *bed = *state;
    bed->device->info.levels.level[2].capacity_bytes = 100 << 10;
    assert_int_equal(flags_of_one_case(bed), FLAG_too_few_samples);
}

/* ---- Emission. */

static void every_slice_is_written_in_the_order_in_which_it_was_measured(void **state)
{
    struct bed *bed = *state;
    int ends[2];
    char *line = NULL;
    size_t room = 0;
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    bed->emit.record_fd = ends[1];
    plan_trial(bed, "conduct=right,last_wrong", "number=1");
    run_plan(bed);
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    static const int rounds[] = {0, 0, 1, 1, 2}, which[] = {0, 1, 0, 1, 0};
    for (int i = 0; i < 5; i++) {
        struct record slice;
        ssize_t length = getline(&line, &room, file);
        assert_true(length > 0);
        assert_int_equal(record_from_json(line, (size_t)length, &slice), STATUS_OK);
        assert_int_equal(slice.round, rounds[i]);
        assert_string_equal(slice.case_id, bed->plan.cases[which[i]].case_id);
        assert_int_equal(slice.status, i == 3 ? RECORD_wrong : RECORD_ok);
        assert_int_equal(slice.samples_count, i == 3 ? 0 : 2);
        record_clear(&slice);
    }
    assert_int_equal(getline(&line, &room, file), -1);
    free(line);
    fclose(file);
}

static void a_lost_harness_ends_the_run(void **state)
{
    struct bed *bed = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    bed->emit.record_fd = ends[1];
    plan_trial(bed, "conduct=right", "number=1,2");
    sentence_check(
        runner_run(&bed->plan, &bed->context, &bed->options, &bed->emit, NULL, NULL, &bed->result),
        STATUS_INTERRUPTED, "the harness is gone");
    assert_int_equal(seen.setups, 1);
    close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_point_says_what_was_measured_and_how),
        TEST(a_quiet_case_raises_no_flag_but_that_six_samples_are_few),
        TEST(constant_data_is_flagged),
        TEST(whatever_disturbs_a_case_is_flagged),
        TEST(a_working_set_between_the_last_cache_and_memory_is_flagged),
        TEST(a_working_set_of_four_times_the_last_cache_is_not_flagged),
        TEST(every_slice_is_written_in_the_order_in_which_it_was_measured),
        TEST(a_lost_harness_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
