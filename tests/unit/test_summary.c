/* The two readings of a sample set, and whether their intervals hold what they promise. */
#include "harness/model/summary.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double uniform(uint64_t *state)
{
    return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller. */
static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * acos(-1) * uniform(state));
}

static void add(struct record *point, double seconds, int round)
{
    const struct sample sample = {.seconds = seconds, .runs = 1, .round = round};
    assert_int_equal(record_add_sample(point, &sample), STATUS_OK);
}

/* Seconds 1, 2, ... count, over four rounds in turn. */
static void make_counting(struct record *point, int count)
{
    *point = (struct record){.status = RECORD_ok};
    strcpy(point->case_id, "0123456789abcdef");
    for (int i = 0; i < count; i++)
        add(point, 1 + (i * 7) % count, i % 4);
}

static void quantiles_are_those_of_all_samples(void **state)
{
    (void)state;
    struct record point;
    struct summary s;
    make_counting(&point, 41);
    assert_int_equal(summary_of(&point, &s), STATUS_OK);
    assert_int_equal(s.samples, 41);
    assert_int_equal(s.rounds, 4);
    assert_true(s.typical.value == 21 && s.min_seconds == 1);
    assert_true(s.q1_seconds == 11 && s.q3_seconds == 31);
    assert_true(s.capable.value == 11);
    assert_true(fabs(s.steadiness - 11.0 / 21) < 1e-12);
    assert_true(s.typical.low < 21 && s.typical.low >= 1);
    assert_true(s.typical.high > 21 && s.typical.high <= 41);
    assert_true(s.capable.low <= 11 && s.capable.high >= 11);
    assert_true(summary_half_width(&s) == (s.typical.high - s.typical.low) / 42);
    record_clear(&point);
}

static void the_same_samples_give_the_same_interval(void **state)
{
    (void)state;
    struct record point;
    struct summary first, second;
    make_counting(&point, 60);
    assert_int_equal(summary_of(&point, &first), STATUS_OK);
    assert_int_equal(summary_of(&point, &second), STATUS_OK);
    assert_memory_equal(&first, &second, sizeof(first));
    point.case_id[0] = 'f'; /* another stream of random numbers */
    assert_int_equal(summary_of(&point, &second), STATUS_OK);
    assert_true(first.typical.value == second.typical.value);
    assert_true(first.typical.low != second.typical.low ||
                first.typical.high != second.typical.high ||
                first.capable.low != second.capable.low);
    record_clear(&point);
}

static void capable_needs_40_samples(void **state)
{
    (void)state;
    for (int count = 39; count <= 40; count++) {
        struct record point;
        struct summary s;
        make_counting(&point, count);
        assert_int_equal(summary_of(&point, &s), STATUS_OK);
        assert_true(s.typical.value > 0);
        assert_int_equal(s.capable.value > 0, count == 40);
        assert_int_equal(s.capable.low > 0, count == 40);
        assert_int_equal(s.steadiness > 0, count == 40);
        record_clear(&point);
    }
}

static void an_interval_needs_6_samples(void **state)
{
    (void)state;
    for (int count = 5; count <= 6; count++) {
        struct record point;
        struct summary s;
        make_counting(&point, count);
        assert_int_equal(summary_of(&point, &s), STATUS_OK);
        assert_true(s.typical.value > 0);
        assert_int_equal(s.typical.low > 0, count == 6);
        assert_int_equal(isfinite(summary_half_width(&s)) != 0, count == 6);
        record_clear(&point);
    }
}

static void a_point_without_samples_or_that_is_not_ok_gives_zeros(void **state)
{
    (void)state;
    static const struct summary zeros;
    struct record point = {0};
    struct summary s;
    memset(&s, 0x55, sizeof(s));
    assert_int_equal(summary_of(&point, &s), STATUS_OK);
    assert_memory_equal(&s, &zeros, sizeof(s));
    assert_true(isinf(summary_half_width(&s)));
    for (int status = RECORD_ok + 1; status < RECORD_STATUS_COUNT; status++) {
        make_counting(&point, 50);
        point.status = (enum record_status)status;
        memset(&s, 0x55, sizeof(s));
        assert_int_equal(summary_of(&point, &s), STATUS_OK);
        assert_memory_equal(&s, &zeros, sizeof(s));
        record_clear(&point);
    }
}

/* Rounds differ by a hundredth, samples within them by half of one: the truth is the median of
 * both together, 1. An interval that saw the samples only would be far too narrow. */
static void the_interval_holds_the_truth_in_9_of_10_sets_with_drift_between_rounds(void **state)
{
    (void)state;
    enum { SETS = 300, ROUNDS = 8, SAMPLES = 10 };
    uint64_t random = 88172645463325252u;
    int held = 0;
    double widths = 0;
    for (int set = 0; set < SETS; set++) {
        struct record point = {.status = RECORD_ok};
        struct summary s;
        snprintf(point.case_id, sizeof(point.case_id), "%016x", set);
        for (int round = 0; round < ROUNDS; round++) {
            double drift = 0.01 * normal(&random);
            for (int i = 0; i < SAMPLES; i++)
                add(&point, 1 + drift + 0.005 * normal(&random), round);
        }
        assert_int_equal(summary_of(&point, &s), STATUS_OK);
        held += s.typical.low <= 1 && 1 <= s.typical.high;
        widths += summary_half_width(&s) / SETS;
        record_clear(&point);
    }
    if (held < SETS * 9 / 10 || widths > 0.015)
        fail_msg("%d of %d intervals hold the truth, +-%.4f", held, SETS, widths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_all_samples),
        cmocka_unit_test(the_same_samples_give_the_same_interval),
        cmocka_unit_test(capable_needs_40_samples),
        cmocka_unit_test(an_interval_needs_6_samples),
        cmocka_unit_test(a_point_without_samples_or_that_is_not_ok_gives_zeros),
        cmocka_unit_test(the_interval_holds_the_truth_in_9_of_10_sets_with_drift_between_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
