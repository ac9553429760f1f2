/* The sampler on a device with scripted times: when it stops, what it batches, what it refuses. */
#include "harness/base/clock.h"
#include "harness/measure/sampler.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { MOST_CALLS = 512, UNITS = 8, SCRIPT_BYTES = 4096 };

/* What the bench was asked to run. */
struct calls {
    int64_t first_unit[MOST_CALLS], unit_count[MOST_CALLS];
    int count;
};

static enum status note_call(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    struct calls *calls = c->state;
    calls->first_unit[calls->count % MOST_CALLS] = first_unit;
    calls->unit_count[calls->count % MOST_CALLS] = unit_count;
    calls->count++;
    return STATUS_OK;
}

static int64_t eight(const void *state)
{
    (void)state;
    return UNITS;
}

static const struct bench whole = {.name = "whole", .run = note_call};
static const struct bench in_units = {.name = "in_units", .run = note_call, .units = eight};

/* 1000 s are never spent here, as the scripted seconds take no time. */
static const struct policy patient = {
    .name = "patient",
    .case_seconds = 1000,
    .rounds = 1,
    .fewest_samples = 4,
    .wanted_samples = 8,
    .most_samples = 100,
    .sample_seconds = 1e-4,
    .clock_ticks = 1,
    .target_half_width = 0.01,
};

struct bed {
    struct device *device;
    struct bench_case c;
    struct calls calls;
    struct foreign_load load;
    struct sampling sampling;
    struct record slice;
};

static void open_bed(struct bed *bed, const char *script)
{
    *bed = (struct bed){.device = fake_device_open(script)};
    bed->c = (struct bench_case){.device = bed->device, .state = &bed->calls};
    foreign_load_begin(&bed->load);
}

static void close_bed(struct bed *bed)
{
    record_clear(&bed->slice);
    sampling_clear(&bed->sampling);
    device_close(bed->device);
}

static enum status take_slice(struct bed *bed, const struct bench *bench,
                              const struct policy *policy, int round)
{
    record_clear(&bed->slice);
    return sampler_slice(bench, &bed->c, policy, round, &bed->load, &bed->sampling, &bed->slice);
}

static void check_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* ---- When it stops. */

static void a_steady_case_stops_at_the_wanted_number(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3");
    assert_int_equal(take_slice(&bed, &whole, &patient, 5), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 8);
    assert_int_equal(bed.sampling.count, 8);
    for (size_t i = 0; i < bed.slice.samples_count; i++) {
        check_near(bed.slice.samples[i].seconds, 1e-3);
        check_near(bed.slice.samples[i].runs, 1);
        assert_int_equal(bed.slice.samples[i].round, 5);
    }
    close_bed(&bed);
}

static void an_unsteady_case_goes_on_to_the_most(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3,3e-3");
    assert_int_equal(take_slice(&bed, &whole, &patient, 0), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 100);
    close_bed(&bed);
}

/* 4 slow ones among n: the upper end of the median's interval is no slow one from n = 20 on. */
static void a_case_that_calms_down_stops_as_soon_as_the_interval_is_narrow(void **state)
{
    (void)state;
    char script[SCRIPT_BYTES] = "fake:1e-3,1e-3";
    struct bed bed;
    size_t used = strlen(script);
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(script + used, sizeof(script) - used, ",%s",
                                 i < 8 && i % 2 ? "3e-3" : "1e-3");
    open_bed(&bed, script);
    assert_int_equal(take_slice(&bed, &whole, &patient, 0), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 20);
    close_bed(&bed);
}

static void an_unsteady_case_stops_when_its_time_is_spent(void **state)
{
    (void)state;
    struct policy hurried = patient;
    struct bed bed;
    hurried.case_seconds = 0.04;
    hurried.rounds = 2;
    hurried.most_samples = INT_MAX;
    open_bed(&bed, "fake:1e-3,3e-3");
    double begin_seconds = clock_seconds();
    assert_int_equal(take_slice(&bed, &whole, &hurried, 0), STATUS_OK);
    assert_true(clock_seconds() - begin_seconds >= 0.02);
    assert_true(bed.slice.samples_count > 4);
    close_bed(&bed);
}

/* The first round is steady at once, so nearly all of the 0.04 s are left for the second. */
static void later_rounds_may_spend_what_the_earlier_left_of_their_time(void **state)
{
    (void)state;
    struct policy hurried = patient;
    struct bed bed;
    hurried.case_seconds = 0.04;
    hurried.rounds = 2;
    hurried.most_samples = INT_MAX;
    open_bed(&bed, "fake:1e-3");
    double begin_seconds = clock_seconds();
    assert_int_equal(take_slice(&bed, &whole, &hurried, 0), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 8);
    device_close(bed.device);
    bed.device = bed.c.device = fake_device_open("fake:1e-3,3e-3");
    assert_int_equal(take_slice(&bed, &whole, &hurried, 1), STATUS_OK);
    assert_true(clock_seconds() - begin_seconds >= 0.04);
    close_bed(&bed);
}

static void without_time_it_takes_the_rounds_share_of_the_fewest(void **state)
{
    (void)state;
    static const struct {
        int fewest, rounds;
        size_t expected;
    } cases[] = {{4, 1, 4}, {10, 3, 4}, {1, 8, 1}, {16, 4, 4}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct policy none = patient;
        struct bed bed;
        none.case_seconds = 0;
        none.fewest_samples = cases[i].fewest;
        none.rounds = cases[i].rounds;
        open_bed(&bed, "fake:1e-3,3e-3");
        assert_int_equal(take_slice(&bed, &whole, &none, 0), STATUS_OK);
        assert_int_equal(bed.slice.samples_count, cases[i].expected);
        close_bed(&bed);
    }
}

/* Four samples are no interval, so the first round goes on to eight; the second has 8 + 4. */
static void later_rounds_are_judged_with_the_samples_of_the_earlier(void **state)
{
    (void)state;
    struct policy shared = patient;
    struct bed bed;
    shared.rounds = 4;
    open_bed(&bed, "fake:1e-3");
    assert_int_equal(take_slice(&bed, &whole, &shared, 0), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 8);
    assert_int_equal(take_slice(&bed, &whole, &shared, 1), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 4);
    assert_int_equal(bed.sampling.count, 12);
    close_bed(&bed);
}

/* ---- Batches and units. */

/* 16 units in 17 us are an eighth of 100 us or more: aim at 110 us. */
static void short_runs_are_batched_until_a_sample_is_long_enough(void **state)
{
    (void)state;
    static const int64_t expected[] = {1, 1, 2, 4, 8, 16, 104, 104};
    struct bed bed;
    open_bed(&bed, "fake:1e-6,1e-6,2e-6,4e-6,8e-6,17e-6,"
                   "104e-6,104e-6,104e-6,104e-6,104e-6,104e-6,104e-6,104e-6");
    assert_int_equal(take_slice(&bed, &whole, &patient, 0), STATUS_OK);
    assert_int_equal(bed.slice.samples_count, 8);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(bed.calls.unit_count[i], expected[i]);
    for (size_t i = 0; i < 8; i++) {
        check_near(bed.slice.samples[i].runs, 104);
        check_near(bed.slice.samples[i].seconds, 1e-6);
    }
    close_bed(&bed);
}

static void a_batch_that_is_long_enough_stays(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-6,1e-6,2e-4,2e-4,2e-4,2e-4,2e-4,2e-4,2e-4,2e-4,2e-4");
    assert_int_equal(take_slice(&bed, &whole, &patient, 0), STATUS_OK);
    assert_int_equal(bed.calls.unit_count[3], 2);
    check_near(bed.slice.samples[0].seconds, 1e-4);
    close_bed(&bed);
}

static void a_coarse_clock_asks_for_longer_samples(void **state)
{
    (void)state;
    struct policy coarse = patient;
    struct bed bed;
    coarse.clock_ticks = 1000;
    open_bed(&bed, "fake:1e-3");
    bed.device->info.clock_resolution_seconds = 4e-6;
    assert_int_equal(take_slice(&bed, &whole, &coarse, 0), STATUS_OK);
    assert_int_equal(bed.calls.unit_count[2], 5); /* 1.1 x 4 ms / 1 ms, rounded up */
    close_bed(&bed);
}

static void units_go_round_the_working_set_from_slice_to_slice(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(take_slice(&bed, &in_units, &patient, round), STATUS_OK);
        assert_int_equal(bed.slice.samples_count, 8);
        for (size_t i = 0; i < 8; i++) {
            check_near(bed.slice.samples[i].runs, 1.0 / UNITS);
            check_near(bed.slice.samples[i].seconds, 8e-3);
        }
    }
    assert_int_equal(bed.calls.count, 20);
    for (int i = 0; i < bed.calls.count; i++)
        assert_int_equal(bed.calls.first_unit[i], i % UNITS);
    close_bed(&bed);
}

/* ---- What a sample says. */

static void a_sample_holds_the_clock_the_foreign_load_and_when_it_began(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3");
    bed.load = (struct foreign_load){.count = 1, .cores = 0.25};
    bed.load.readings[0].at_seconds = clock_seconds() + 1e6; /* never again */
    double before_seconds = clock_seconds();
    assert_int_equal(take_slice(&bed, &whole, &patient, 0), STATUS_OK);
    for (size_t i = 0; i < bed.slice.samples_count; i++) {
        const struct sample *sample = &bed.slice.samples[i];
        check_near(sample->clock_hz, 3e9);
        check_near(sample->foreign_load, 0.25);
        assert_true(sample->start_seconds >= before_seconds);
        before_seconds = sample->start_seconds;
    }
    assert_true(before_seconds <= clock_seconds());
    close_bed(&bed);
}

/* ---- Times that cannot be. */

static enum status stop_with_nan(struct device *d, double *elapsed_seconds)
{
    (void)d;
    *elapsed_seconds = (double)NAN;
    return STATUS_OK;
}

static enum status stop_with_infinity(struct device *d, double *elapsed_seconds)
{
    (void)d;
    *elapsed_seconds = (double)INFINITY;
    return STATUS_OK;
}

static enum status refuse_to_stop(struct device *d, double *elapsed_seconds)
{
    (void)d, (void)elapsed_seconds;
    return FAIL(STATUS_DEVICE, "the stopwatch is broken");
}

static void a_time_that_is_not_positive_is_an_error_and_no_sample(void **state)
{
    (void)state;
    static const char *const scripts[] = {"fake:0", "fake:-1e-3"};
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        struct bed bed;
        open_bed(&bed, scripts[i]);
        sentence_check(take_slice(&bed, &whole, &patient, 0), STATUS_DEVICE, "the clock of fake");
        assert_int_equal(bed.slice.samples_count, 0);
        close_bed(&bed);
    }
}

static void a_time_that_is_not_finite_is_an_error_and_no_sample(void **state)
{
    (void)state;
    enum status (*const clocks[])(struct device *, double *) = {stop_with_nan, stop_with_infinity};
    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        struct bed bed;
        open_bed(&bed, "fake:1e-3");
        struct backend broken = *bed.device->backend;
        broken.clock_stop = clocks[i];
        bed.device->backend = &broken;
        sentence_check(take_slice(&bed, &whole, &patient, 0), STATUS_DEVICE, "the clock of fake");
        assert_int_equal(bed.slice.samples_count, 0);
        close_bed(&bed);
    }
}

static void a_bad_time_after_good_ones_adds_no_sample(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3,1e-3,1e-3,1e-3,0");
    sentence_check(take_slice(&bed, &whole, &patient, 0), STATUS_DEVICE, "gave 0 s for whole");
    assert_int_equal(bed.slice.samples_count, 2);
    assert_int_equal(bed.sampling.count, 2);
    close_bed(&bed);
}

static void a_stopwatch_that_refuses_is_passed_on(void **state)
{
    (void)state;
    struct bed bed;
    open_bed(&bed, "fake:1e-3");
    struct backend broken = *bed.device->backend;
    broken.clock_stop = refuse_to_stop;
    bed.device->backend = &broken;
    sentence_check(take_slice(&bed, &whole, &patient, 0), STATUS_DEVICE, "stopwatch is broken");
    close_bed(&bed);
}

static void a_script_that_is_no_list_of_seconds_is_refused(void **state)
{
    (void)state;
    static const char *const scripts[] = {"fake",           "fake:",    "fake:soon",
                                          "fake:1e-3;2e-3", "fake:nan", "fake:inf"};
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        const struct device_options options = {.name = scripts[i], .levels = FAKE_LEVELS};
        struct device *device = NULL;
        sentence_check(device_open(&options, &device), STATUS_BAD_ARGUMENT, "fake device");
        assert_null(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_case_stops_at_the_wanted_number),
        cmocka_unit_test(an_unsteady_case_goes_on_to_the_most),
        cmocka_unit_test(a_case_that_calms_down_stops_as_soon_as_the_interval_is_narrow),
        cmocka_unit_test(an_unsteady_case_stops_when_its_time_is_spent),
        cmocka_unit_test(later_rounds_may_spend_what_the_earlier_left_of_their_time),
        cmocka_unit_test(without_time_it_takes_the_rounds_share_of_the_fewest),
        cmocka_unit_test(later_rounds_are_judged_with_the_samples_of_the_earlier),
        cmocka_unit_test(short_runs_are_batched_until_a_sample_is_long_enough),
        cmocka_unit_test(a_batch_that_is_long_enough_stays),
        cmocka_unit_test(a_coarse_clock_asks_for_longer_samples),
        cmocka_unit_test(units_go_round_the_working_set_from_slice_to_slice),
        cmocka_unit_test(a_sample_holds_the_clock_the_foreign_load_and_when_it_began),
        cmocka_unit_test(a_time_that_is_not_positive_is_an_error_and_no_sample),
        cmocka_unit_test(a_time_that_is_not_finite_is_an_error_and_no_sample),
        cmocka_unit_test(a_bad_time_after_good_ones_adds_no_sample),
        cmocka_unit_test(a_stopwatch_that_refuses_is_passed_on),
        cmocka_unit_test(a_script_that_is_no_list_of_seconds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
