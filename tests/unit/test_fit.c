/* The fit of a ladder: it finds known roofs, its intervals hold them, and what a ladder does not
 * show it does not invent. ci/prove_fit is the long form, with its table. */
#include "tests/unit/synthetic_ladder.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

/* One level, 15 intensities, 5 samples in each of 8 rounds. */
static struct setting ladder_of(double noise, double drift, double sharpness)
{
    return (struct setting){.levels = 1,
                            .rounds = 8,
                            .samples_per_round = 5,
                            .noise = noise,
                            .drift = drift,
                            .sharpness = sharpness};
}

static struct synthetic *make(const struct setting *setting, uint64_t seed)
{
    struct synthetic *made = malloc(sizeof(*made));
    assert_non_null(made);
    synthetic_make(setting, seed, made);
    return made;
}

/* Fits the ladder of that setting and seed; the caller releases both. */
static struct synthetic *fit(const struct setting *setting, uint64_t seed, struct roof *roof)
{
    struct synthetic *made = make(setting, seed);
    assert_int_equal(fit_ladder(&made->ladder, roof), STATUS_OK);
    return made;
}

static void release(struct synthetic *made, struct roof *roof)
{
    roof_clear(roof);
    free(made);
}

static bool is_within(double value, double truth, double share)
{
    return fabs(value / truth - 1) <= share;
}

static bool holds(const struct roof_value *value, double truth)
{
    return value->status == ROOF_DETERMINED && value->low <= truth && truth <= value->high;
}

static void without_noise_the_roofs_are_found_to_five_digits(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0, 0, 3);
    setting.levels = 4;
    struct roof roof;
    struct synthetic *made = fit(&setting, 7, &roof);
    const struct roof_reading *readings[] = {&roof.typical, &roof.capable};
    for (int i = 0; i < 2; i++) {
        assert_true(readings[i]->given);
        assert_true(is_within(readings[i]->compute.asymptote.value, made->peak, 1e-5));
        for (int l = 0; l < 4; l++) {
            const struct roof_level *level = &readings[i]->levels[l];
            assert_true(is_within(level->bandwidth.asymptote.value, made->bandwidth[l], 1e-5));
            assert_true(is_within(level->sharpness.value, 3, 1e-3));
            assert_true(is_within(level->ridge, made->peak / made->bandwidth[l], 1e-4));
        }
    }
    release(made, &roof);
}

static void drift_of_a_tenth_is_divided_out(void **state)
{
    (void)state;
    const struct setting setting = ladder_of(0.001, 0.1, 3);
    struct roof roof;
    struct synthetic *made = fit(&setting, 3, &roof);
    const struct roof_value *peak = &roof.typical.compute.asymptote;
    const struct roof_value *bandwidth = &roof.typical.levels[0].bandwidth.asymptote;
    assert_true(is_within(peak->value, made->peak, 5e-4));
    assert_true(is_within(bandwidth->value, made->bandwidth[0], 5e-4));
    assert_true(peak->high / peak->low < 1.002 && bandwidth->high / bandwidth->low < 1.002);
    release(made, &roof);
}

/* Points right of the knee keep two of the eight rounds each, so that none sees the rounds of the
 * others, and only the control shows what the arithmetic did in between. */
static double error_with_few_rounds(uint64_t seed, bool has_controls)
{
    const struct setting setting = ladder_of(0.001, 0.1, 8);
    struct synthetic *made = make(&setting, seed);
    struct roof roof;
    for (size_t p = 0; p < made->ladder.points_count; p++) {
        struct ladder_point *point = &made->points[p];
        if (point->intensity * made->bandwidth[0] < made->peak)
            continue;
        point->samples += 10 * (p % 4);
        point->samples_count = 10;
    }
    made->ladder.controls_count *= has_controls;
    assert_int_equal(fit_ladder(&made->ladder, &roof), STATUS_OK);
    double error = fabs(roof.typical.compute.asymptote.value / made->peak - 1);
    release(made, &roof);
    return error;
}

static void where_points_miss_rounds_the_controls_show_the_drift(void **state)
{
    (void)state;
    double with = 0, without = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        with += error_with_few_rounds(seed, true) / 20;
        without += error_with_few_rounds(seed, false) / 20;
    }
    if (with > 0.01 || without < 2 * with)
        fail_msg("mean error %.4f with controls, %.4f without", with, without);
}

struct tally {
    size_t held, fast_held, given, ladders, tails;
};

static void tally_ladder(const struct setting *setting, uint64_t seed, struct tally *tally)
{
    struct roof roof;
    struct synthetic *made = fit(setting, seed, &roof);
    double slow = synthetic_quantile(setting, 0.5), fast = synthetic_quantile(setting, 0.25);
    const struct roof_value *peak = &roof.typical.compute.asymptote;
    const struct roof_value *bandwidth = &roof.typical.levels[0].bandwidth.asymptote;
    tally->ladders++;
    tally->given += peak->status == ROOF_DETERMINED && bandwidth->status == ROOF_DETERMINED;
    tally->held += holds(peak, made->peak / slow);
    tally->held += holds(bandwidth, made->bandwidth[0] / slow);
    tally->fast_held += holds(&roof.capable.compute.asymptote, made->peak / fast);
    tally->fast_held +=
        holds(&roof.capable.levels[0].bandwidth.asymptote, made->bandwidth[0] / fast);
    tally->tails += !is_within(peak->value, made->peak / slow, 0.01);
    tally->tails += !is_within(bandwidth->value, made->bandwidth[0] / slow, 0.01);
    release(made, &roof);
}

/* Eight ladders from each of the 162 cells of ci/prove_fit. */
static void intervals_hold_the_truth_in_92_to_98_of_100_ladders(void **state)
{
    (void)state;
    struct tally tally = {0};
    uint64_t seed = 2026;
    for (int cell = 0; cell < 162; cell++) {
        struct setting s = ladder_of(0.01 + 0.02 * (cell / 27 % 3), 0.05 * (cell / 9 % 3),
                                     (const double[]){1.5, 3, 8}[cell / 3 % 3]);
        s.one_sided = cell / 81;
        s.outliers = (enum outliers)(cell % 3);
        for (int i = 0; i < 8; i++)
            tally_ladder(&s, random_next(&seed), &tally);
    }
    double all = 2 * (double)tally.ladders, held = (double)tally.held / all;
    double fast_held = (double)tally.fast_held / all;
    if (held < 0.92 || held > 0.98 || fast_held < 0.9)
        fail_msg("typical held in %.1f %%, capable in %.1f %%", 100 * held, 100 * fast_held);
    if (tally.given < tally.ladders * 95 / 100 || (double)tally.tails > 0.1 * all)
        fail_msg("%zu of %zu determined, %zu values off by more than 1 %%", tally.given,
                 tally.ladders, tally.tails);
}

static void expect_missing(double first, double last, const char *peak, const char *bandwidth)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct setting setting = ladder_of(0.03, 0.05, 1.5 + (double)(seed % 5));
        setting.first = first;
        setting.last = last;
        struct roof roof;
        struct synthetic *made = fit(&setting, seed, &roof);
        const struct roof_level *level = &roof.typical.levels[0];
        assert_string_equal(roof.typical.compute.asymptote.reason, peak);
        assert_string_equal(level->bandwidth.asymptote.reason, bandwidth);
        assert_int_equal(level->sharpness.status, ROOF_NOT_DETERMINED);
        assert_true(level->ridge == 0);
        release(made, &roof);
    }
}

static void a_side_without_points_is_not_determined(void **state)
{
    (void)state;
    const char *no_peak =
        "no point lies right of the knee, so the arithmetic ceiling is not determined";
    const char *no_bandwidth =
        "no point lies left of the knee of L1, so the bandwidth of L1 is not determined";
    expect_missing(1.0 / 64, 1.0 / 8, no_peak, "");
    expect_missing(8, 256, "", no_bandwidth);
    expect_missing(2.0 / 3, 3.0 / 2, no_peak, no_bandwidth);
}

/* Softer than the plateau can show: at 8 times the ridge and p = 1 an eighth is missing. */
static void a_plateau_that_differs_from_the_asymptote_is_said_and_published(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0.001, 0, 1);
    setting.first = 1.0 / 64;
    setting.last = 32;
    struct roof roof;
    struct synthetic *made = fit(&setting, 1, &roof);
    const struct roof_ceiling *compute = &roof.typical.compute;
    assert_true(compute->differs && compute->basis == ROOF_FROM_PLATEAU);
    assert_true(compute->published.value == compute->plateau.value);
    assert_true(compute->plateau.value < 0.97 * compute->asymptote.value);
    assert_true(compute->plateau_points >= 2);
    release(made, &roof);
}

static void without_a_point_far_from_the_ridge_the_asymptote_is_published(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0.01, 0, 3);
    setting.first = 1.0 / 6;
    setting.last = 6;
    struct roof roof;
    struct synthetic *made = fit(&setting, 1, &roof);
    const struct roof_reading *typical = &roof.typical;
    const struct roof_ceiling *ceilings[] = {&typical->compute, &typical->levels[0].bandwidth};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ceilings[i]->plateau_points, 0);
        assert_int_equal(ceilings[i]->plateau.status, ROOF_NOT_DETERMINED);
        assert_non_null(strstr(ceilings[i]->plateau.reason, "no point lies far enough"));
        assert_int_equal(ceilings[i]->basis, ROOF_FROM_ASYMPTOTE);
        assert_true(ceilings[i]->published.value == ceilings[i]->asymptote.value);
    }
    assert_true(holds(&ceilings[0]->published, made->peak));
    assert_true(holds(&ceilings[1]->published, made->bandwidth[0]));
    release(made, &roof);
}

static void a_knee_beyond_the_bound_reads_sharp(void **state)
{
    (void)state;
    const struct setting setting = ladder_of(0.005, 0, 100);
    struct roof roof;
    struct synthetic *made = fit(&setting, 4, &roof);
    const struct roof_value *sharpness = &roof.typical.levels[0].sharpness;
    assert_int_equal(sharpness->status, ROOF_SHARP);
    assert_true(sharpness->high == 20 && sharpness->low > 4);
    release(made, &roof);
}

static void bad_points_are_excluded_with_their_reason(void **state)
{
    (void)state;
    const struct setting setting = ladder_of(0.01, 0, 3);
    struct synthetic *made = make(&setting, 5);
    struct roof roof;
    for (size_t s = 0; s < 40; s++) {
        made->samples[1][s].ops_per_s *= 0.8;
        made->samples[13][s].ops_per_s *= made->samples[13][s].round % 2 ? 1.4 : 0.7;
    }
    made->points[3].samples_count = 4;
    made->points[10].samples_count = 39;
    assert_int_equal(fit_ladder(&made->ladder, &roof), STATUS_OK);
    const struct roof_point *points = roof.typical.points;
    assert_int_equal(points[1].excluded, ROOF_OUTLIER);
    assert_true(fabs(points[1].residual - log(0.8)) < 0.01);
    assert_int_equal(points[13].excluded, ROOF_UNSTEADY);
    assert_int_equal(points[3].excluded, ROOF_TOO_FEW_SAMPLES);
    assert_int_equal(points[10].excluded, ROOF_KEPT);
    assert_int_equal(points[0].excluded, ROOF_KEPT);
    assert_true(fabs(points[0].residual) < 0.01);
    assert_int_equal(roof.capable.points[10].excluded, ROOF_TOO_FEW_SAMPLES);
    assert_true(is_within(roof.typical.compute.asymptote.value, made->peak, 0.01));
    assert_true(
        is_within(roof.typical.levels[0].bandwidth.asymptote.value, made->bandwidth[0], 0.01));
    release(made, &roof);
}

static void capable_is_not_given_below_40_samples(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0.01, 0, 3);
    setting.rounds = 7;
    struct roof roof;
    struct synthetic *made = fit(&setting, 5, &roof);
    assert_true(roof.typical.given);
    assert_false(roof.capable.given);
    assert_int_equal(roof.capable.compute.basis, ROOF_FROM_NOTHING);
    release(made, &roof);
}

static void the_same_ladder_gives_the_same_roof(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0.03, 0.05, 3);
    setting.missing = 0.2;
    struct roof roofs[2];
    struct synthetic *made = fit(&setting, 9, &roofs[0]);
    assert_int_equal(fit_ladder(&made->ladder, &roofs[1]), STATUS_OK);
    const struct roof_reading *typical = &roofs[0].typical, *capable = &roofs[0].capable;
    assert_memory_equal(&typical->compute, &roofs[1].typical.compute, sizeof(typical->compute));
    assert_memory_equal(capable->levels, roofs[1].capable.levels, sizeof(capable->levels));
    roof_clear(&roofs[0]);
    roof_clear(&roofs[1]);
    free(made);
}

static void one_round_and_no_points_are_no_crash(void **state)
{
    (void)state;
    struct setting setting = ladder_of(0.01, 0, 3);
    setting.rounds = 1;
    setting.samples_per_round = 40;
    struct roof roof;
    struct synthetic *made = fit(&setting, 2, &roof);
    assert_true(is_within(roof.typical.compute.asymptote.value, made->peak, 0.01));
    roof_clear(&roof);
    made->ladder.points_count = 0;
    assert_int_equal(fit_ladder(&made->ladder, &roof), STATUS_OK);
    assert_false(roof.typical.given);
    release(made, &roof);
}

static void expect_refusal(struct synthetic *made, const char *sentence)
{
    struct roof roof;
    assert_int_equal(fit_ladder(&made->ladder, &roof), STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error_message(), sentence));
    roof_clear(&roof);
}

static void what_is_no_ladder_is_refused_with_a_sentence(void **state)
{
    (void)state;
    const struct setting setting = ladder_of(0.01, 0, 3);
    struct roof roof;
    struct synthetic *made = fit(&setting, 2, &roof);
    roof_clear(&roof);
    made->samples[2][0].ops_per_s = 0;
    expect_refusal(made, "rate is 0 op/s");
    made->samples[2][0] = (struct ladder_sample){1, LADDER_MOST_ROUNDS};
    expect_refusal(made, "of round 64");
    made->samples[2][0].round = 0;
    made->points[4].level = 1;
    expect_refusal(made, "a point in level 1");
    made->points[4].level = 0;
    made->points[4].intensity = NAN;
    expect_refusal(made, "intensity is nan");
    made->points[4].intensity = 1;
    made->controls[0].speed = -1;
    expect_refusal(made, "speed is -1");
    made->ladder.levels_count = LADDER_MOST_LEVELS + 1;
    expect_refusal(made, "9 levels");
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_noise_the_roofs_are_found_to_five_digits),
        cmocka_unit_test(drift_of_a_tenth_is_divided_out),
        cmocka_unit_test(where_points_miss_rounds_the_controls_show_the_drift),
        cmocka_unit_test(intervals_hold_the_truth_in_92_to_98_of_100_ladders),
        cmocka_unit_test(a_side_without_points_is_not_determined),
        cmocka_unit_test(a_plateau_that_differs_from_the_asymptote_is_said_and_published),
        cmocka_unit_test(without_a_point_far_from_the_ridge_the_asymptote_is_published),
        cmocka_unit_test(a_knee_beyond_the_bound_reads_sharp),
        cmocka_unit_test(bad_points_are_excluded_with_their_reason),
        cmocka_unit_test(capable_is_not_given_below_40_samples),
        cmocka_unit_test(the_same_ladder_gives_the_same_roof),
        cmocka_unit_test(one_round_and_no_points_are_no_crash),
        cmocka_unit_test(what_is_no_ladder_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
