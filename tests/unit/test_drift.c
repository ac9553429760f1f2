/* How far the controls moved: known rounds in, known drift out. */
#include "harness/model/drift.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

static void add_point(struct run *run, const char *params, const double *round_seconds, int rounds)
{
    struct record point = {.bench = "bench_vector_add", .device = "cpu", .bytes = 1};
    snprintf(point.params, sizeof(point.params), "%s", params);
    record_identify(&point);
    for (int r = 0; r < rounds; r++)
        for (int i = -1; i <= 1; i++) {
            const struct sample sample = {
                .seconds = round_seconds[r] * (1 + 0.001 * i), .runs = 1, .round = r};
            assert_int_equal(record_add_sample(&point, &sample), STATUS_OK);
        }
    point.round = rounds - 1;
    assert_int_equal(run_add_slice(run, &point), STATUS_OK);
    record_clear(&point);
}

static void the_drift_is_the_slowest_round_over_the_fastest_of_all_benches(void **state)
{
    (void)state;
    struct run run = {0};
    struct drift drift;
    const double first[] = {1.0, 1.1}, second[] = {1.2, 0.8}, arithmetic[] = {2.0, 2.02};
    add_point(&run, "{\"op\":\"read\",\"beside\":\"bench_a\"}", first, 2);
    add_point(&run, "{\"op\":\"read\",\"beside\":\"bench_b\"}", second, 2);
    add_point(&run, "{\"fmas\":512,\"beside\":\"bench_a\"}", arithmetic, 2);
    assert_int_equal(drift_of(&run, "cpu", &drift), STATUS_OK);
    assert_float_equal(drift.memory, 1.2 / 0.8 - 1, 1e-12);
    assert_float_equal(drift.arithmetic, 0.01, 1e-12);
    assert_int_equal(drift.rounds, 4);
    run_clear(&run);
}

/* A GPU is thousands of times faster than a cpu: that is no drift. */
static void devices_are_not_compared_with_each_other(void **state)
{
    (void)state;
    struct run run = {0};
    struct drift drift;
    const double cpu[] = {1.0, 1.1}, gpu[] = {1e-3, 1.3e-3};
    add_point(&run, "{\"op\":\"read\",\"beside\":\"bench_a\"}", cpu, 2);
    add_point(&run, "{\"op\":\"read\",\"beside\":\"bench_b\"}", gpu, 2);
    strcpy(run.points[1].device, "cuda:0");
    assert_int_equal(drift_of(&run, "cpu", &drift), STATUS_OK);
    assert_float_equal(drift.memory, 0.1, 1e-12);
    assert_true(drift.arithmetic < 0);
    assert_int_equal(drift.rounds, 2);
    assert_int_equal(drift_of(&run, "cuda:0", &drift), STATUS_OK);
    assert_float_equal(drift.memory, 0.3, 1e-12);
    run_clear(&run);
}

static void points_that_are_no_controls_do_not_count(void **state)
{
    (void)state;
    struct run run = {0};
    struct drift drift;
    const double seconds[] = {1.0, 5.0};
    add_point(&run, "{\"op\":\"read\"}", seconds, 2);
    assert_int_equal(drift_of(&run, "cpu", &drift), STATUS_OK);
    assert_true(drift.memory < 0 && drift.arithmetic < 0);
    assert_int_equal(drift.rounds, 0);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_drift_is_the_slowest_round_over_the_fastest_of_all_benches),
        cmocka_unit_test(devices_are_not_compared_with_each_other),
        cmocka_unit_test(points_that_are_no_controls_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
