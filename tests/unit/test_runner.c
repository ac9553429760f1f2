/* The runner: order of the rounds, checks, and what becomes of a case that cannot be measured. */
#include "tests/unit/trial_bench.h"

#include <math.h>

static void check_turns(const int64_t *expected_turns, int count)
{
    assert_int_equal(seen.turns, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(seen.turn[i], expected_turns[i]);
}

/* ---- Rounds. */

static void the_cases_take_turns_round_by_round(void **state)
{
    struct bed *bed = *state;
    static const int64_t turns[] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    plan_trial(bed, "conduct=right", "number=1,2,3");
    run_plan(bed);
    check_turns(turns, 9);
    for (int i = 0; i < 3; i++) {
        const struct record *point = &bed->result.points[i];
        assert_int_equal(point->samples_count, ROUNDS * 2);
        for (size_t k = 0; k < point->samples_count; k++) {
            assert_int_equal(point->samples[k].round, k / 2);
            assert_int_equal(point->samples[k].child, 4);
            assert_true(fabs(point->samples[k].seconds - 1e-3 * UNITS) < 1e-9);
        }
    }
    assert_int_equal(bed->watched, 3);
    assert_int_equal(bed->result.wrong + bed->result.failed, 0);
}

static void a_case_is_measured_in_the_rounds_asked_for_and_no_other(void **state)
{
    struct bed *bed = *state;
    static const int64_t turns[] = {1, 2, 3, 1, 3, 1, 2, 3};
    plan_trial(bed, "conduct=right", "number=1,2,3");
    bed->plan.cases[1].rounds = 1 << 0 | 1 << 2;
    run_plan(bed);
    check_turns(turns, 8);
    assert_int_equal(record_round_count(&bed->result.points[1]), 2);
    assert_true(bed->result.points[1].flags & FLAG_incomplete_rounds);
    assert_false(bed->result.points[0].flags & FLAG_incomplete_rounds);
    assert_int_equal(bed->watched, 3);
}

static void cases_stay_set_up_while_there_is_memory_for_them(void **state)
{
    struct bed *bed = *state;
    plan_trial(bed, "conduct=right", "number=1,2");
    bed->device->info.memory_bytes = INT64_C(1) << 30;
    run_plan(bed);
    assert_int_equal(seen.setups, 2);
}

static void where_memory_is_short_every_round_sets_up_anew(void **state)
{
    struct bed *bed = *state;
    plan_trial(bed, "conduct=right", "number=1,2");
    bed->device->info.memory_bytes = 2 * COUNT * sizeof(float);
    run_plan(bed);
    assert_int_equal(seen.setups, 2 * ROUNDS);
    assert_int_equal(bed->result.points[0].status, RECORD_ok);
}

/* ---- Answers. */

static void a_kernel_that_writes_nothing_is_caught(void **state)
{
    struct bed *bed = *state;
    const struct record *point = run_between_right_ones(bed, "conduct=silent");
    check_outcome(point, RECORD_wrong, "element 0 is nan");
    assert_int_equal(point->samples_count, 0);
    assert_int_equal(bed->result.wrong, 1);
    assert_int_equal(bed->result.failed, 0);
}

static void a_kernel_that_lives_on_its_first_answer_is_caught(void **state)
{
    const struct record *point = run_between_right_ones(*state, "conduct=once");
    check_outcome(point, RECORD_wrong, "element 0 is nan");
    assert_int_equal(point->samples_count, 0);
}

static void one_wrong_element_among_102401_is_caught(void **state)
{
    const struct record *point = run_between_right_ones(*state, "conduct=one_wrong");
    check_outcome(point, RECORD_wrong, "element 17413 is ");
    assert_int_equal(point->samples_count, 0);
    assert_true(point->check_max_error > 0.1);
}

/* Round 0 was right: its samples stay, but the point is no longer ok. */
static void a_wrong_answer_voids_its_round_and_ends_the_case(void **state)
{
    struct bed *bed = *state;
    static const int64_t turns[] = {1, 2, 3, 1, 2, 3, 1, 3};
    const struct record *point = run_between_right_ones(bed, "conduct=last_wrong");
    check_outcome(point, RECORD_wrong, "element 102400 is ");
    check_turns(turns, 8);
    assert_int_equal(record_round_count(point), 1);
    assert_true(record_has_round(point, 0));
    assert_int_equal(bed->result.wrong, 1);
}

static void the_last_round_compares_every_element(void **state)
{
    const struct record *point = run_between_right_ones(*state, "conduct=late_wrong");
    check_outcome(point, RECORD_wrong, "element 17413 is ");
    assert_false(record_has_round(point, 2));
}

static void a_setup_that_fails_becomes_a_failed_record_and_the_rest_goes_on(void **state)
{
    struct bed *bed = *state;
    const struct record *point = run_between_right_ones(bed, "conduct=no_memory");
    check_outcome(point, RECORD_failed, "no room for it");
    assert_int_equal(point->samples_count, 0);
    assert_int_equal(bed->result.failed, 1);
    assert_int_equal(bed->result.wrong, 0);
    assert_int_equal(seen.setups, 3);
}

static void a_kernel_that_is_not_possible_here_is_skipped(void **state)
{
    struct bed *bed = *state;
    const struct record *point = run_between_right_ones(bed, "conduct=not_here");
    check_outcome(point, RECORD_skipped, "not on this machine");
    assert_int_equal(bed->result.failed + bed->result.wrong, 0);
}

static enum status refuse_clock(struct device *d)
{
    (void)d;
    return FAIL(STATUS_DEVICE, "the stopwatch was touched");
}

static void a_clock_that_refuses_becomes_a_failed_record(void **state)
{
    struct bed *bed = *state;
    bed->backend.clock_start = refuse_clock;
    plan_trial(bed, "conduct=right", "number=1");
    run_plan(bed);
    check_outcome(&bed->result.points[0], RECORD_failed, "the stopwatch was touched");
}

static void check_only_times_nothing_and_still_finds_wrong_answers(void **state)
{
    struct bed *bed = *state;
    bed->backend.clock_start = refuse_clock;
    bed->options.check_only = true;
    plan_trial(bed, "conduct=right,one_wrong", "number=1");
    run_plan(bed);
    check_outcome(&bed->result.points[0], RECORD_ok, "");
    check_outcome(&bed->result.points[1], RECORD_wrong, "element 17413 is ");
    assert_int_equal(bed->result.points[0].samples_count, 0);
    assert_int_equal(seen.runs, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_cases_take_turns_round_by_round),
        TEST(a_case_is_measured_in_the_rounds_asked_for_and_no_other),
        TEST(cases_stay_set_up_while_there_is_memory_for_them),
        TEST(where_memory_is_short_every_round_sets_up_anew),
        TEST(a_kernel_that_writes_nothing_is_caught),
        TEST(a_kernel_that_lives_on_its_first_answer_is_caught),
        TEST(one_wrong_element_among_102401_is_caught),
        TEST(a_wrong_answer_voids_its_round_and_ends_the_case),
        TEST(the_last_round_compares_every_element),
        TEST(a_setup_that_fails_becomes_a_failed_record_and_the_rest_goes_on),
        TEST(a_kernel_that_is_not_possible_here_is_skipped),
        TEST(a_clock_that_refuses_becomes_a_failed_record),
        TEST(check_only_times_nothing_and_still_finds_wrong_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
