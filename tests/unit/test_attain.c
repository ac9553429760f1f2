/* What a point could reach under roofs that are given, and what is said to keep it from more. */
#include "harness/model/attain.h"
#include "harness/model/rows.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PEAK = 64e9, LADDER = 8e9, READ = 6e9, TRIAD = 5e9; /* op/s, byte/s */

static void add(struct run *run, const char *kind, const char *level, const char *mix, double value)
{
    struct ceiling row = {.value = value, .threads = 2};
    strcpy(row.reading, "typical");
    strcpy(row.kind, kind);
    strcpy(row.level, level);
    strcpy(row.mix, mix);
    strcpy(row.dtype, "f64");
    strcpy(row.status, value > 0 ? "determined" : "not_determined");
    assert_int_equal(rows_add_ceiling(run, &row), STATUS_OK);
}

/* Memory knows reads and triad, L2 its plain reads alone, L1 nothing. */
static int open_run(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    add(run, "compute", "", "fma", PEAK);
    add(run, "bandwidth", "memory", "read ladder", LADDER);
    add(run, "bandwidth", "memory", "read", READ);
    add(run, "bandwidth", "memory", "triad plain", TRIAD);
    add(run, "bandwidth", "L2", "read ladder", 0);
    add(run, "bandwidth", "L2", "read", 3 * READ);
    *state = run;
    return 0;
}

static int close_run(void **state)
{
    run_clear(*state);
    free(*state);
    return 0;
}

/* A point of two threads that takes a second for 1e9 bytes and `intensity` operations on each. */
struct point {
    struct record record;
    struct reading reading;
};

static const struct reading *point(struct point *made, const char *level, const char *mix,
                                   double intensity)
{
    *made = (struct point){.record = {.threads = 2, .bytes = 1e9, .operations = 1e9 * intensity}};
    strcpy(made->record.dtype, "f64");
    made->reading = (struct reading){.point = &made->record, .intensity = intensity};
    made->reading.summary.typical.value = 1;
    strcpy(made->reading.level, level);
    strcpy(made->reading.mix, mix);
    return &made->reading;
}

static void check(const struct run *run, const struct reading *reading, double attainable,
                  const char *bound)
{
    struct attainment a;
    attain(run, reading, &a);
    if (fabs(a.attainable / attainable - 1) > 1e-12)
        fail_msg("%s in %s attains %g, not %g", reading->mix, reading->level, a.attainable,
                 attainable);
    assert_true(fabs(a.share / (a.achieved / attainable) - 1) < 1e-12);
    assert_string_equal(a.bound, bound);
}

static void check_none(const struct run *run, const struct reading *reading)
{
    struct attainment a;
    attain(run, reading, &a);
    assert_true(a.attainable == 0 && a.share == 0);
    assert_string_equal(a.bound, "");
    assert_true(a.achieved > 0);
}

static bool is_of_read_roof(const struct run *run, const struct reading *reading)
{
    struct attainment a;
    attain(run, reading, &a);
    return a.of_read_roof;
}

static void a_point_is_compared_with_the_ceiling_of_its_own_accesses(void **state)
{
    struct point made;
    const struct reading *triad = point(&made, "memory", "triad plain", 1 / 12.0);
    made.reading.summary.typical.value = 0.25;
    check(*state, triad, TRIAD / 12, "memory");
    assert_false(is_of_read_roof(*state, triad));
}

static void without_one_it_is_compared_with_the_reads_and_that_is_said(void **state)
{
    struct point made;
    const struct reading *add = point(&made, "memory", "add plain", 1 / 24.0);
    made.reading.summary.typical.value = 0.2;
    check(*state, add, LADDER / 24, "memory");
    assert_true(is_of_read_roof(*state, add));
}

static void reads_are_compared_with_the_fitted_reads_before_the_streams(void **state)
{
    struct point made;
    const struct reading *read = point(&made, "memory", "read", 1 / 8.0);
    made.reading.summary.typical.value = 0.2;
    check(*state, read, LADDER / 8, "memory");
    assert_false(is_of_read_roof(*state, read));
    read = point(&made, "L2", "read", 1 / 8.0);
    made.reading.summary.typical.value = 0.1;
    check(*state, read, 3 * READ / 8, "L2");
    assert_false(is_of_read_roof(*state, read));
}

/* The ridge of memory lies at 8 op/byte. */
static void the_lower_roof_binds(void **state)
{
    struct point made;
    const struct reading *ladder = point(&made, "memory", "fma", 4);
    made.reading.summary.typical.value = 0.2;
    check(*state, ladder, 4 * LADDER, "memory");
    assert_false(is_of_read_roof(*state, ladder));
    ladder = point(&made, "memory", "fma", 16);
    made.reading.summary.typical.value = 0.3;
    check(*state, ladder, PEAK, "compute");
    assert_false(is_of_read_roof(*state, ladder));
}

static void below_half_of_both_roofs_it_is_latency_that_binds(void **state)
{
    struct point made;
    const struct reading *slow = point(&made, "memory", "fma", 4);
    made.reading.summary.typical.value = 4e9 / (0.49 * 4 * LADDER);
    check(*state, slow, 4 * LADDER, "latency");
    made.reading.summary.typical.value = 4e9 / (0.51 * 4 * LADDER);
    check(*state, slow, 4 * LADDER, "memory");
    slow = point(&made, "memory", "fma", 16);
    made.reading.summary.typical.value = 16e9 / (0.49 * PEAK);
    check(*state, slow, PEAK, "latency");
}

static void a_copy_counts_no_operation_and_is_judged_by_its_bytes(void **state)
{
    struct attainment a;
    struct point made;
    const struct reading *copy = point(&made, "memory", "copy plain", 0);
    made.reading.summary.typical.value = 0.2;
    check(*state, copy, LADDER, "memory");
    attain(*state, copy, &a);
    assert_true(fabs(a.achieved / 5e9 - 1) < 1e-12);
    assert_true(a.of_read_roof);
}

static void half_a_roof_is_none(void **state)
{
    struct point made;
    check_none(*state, point(&made, "L1", "fma", 4));
    check_none(*state, point(&made, "L1", "copy plain", 0));
    check_none(*state, point(&made, "", "fma", 4)); /* between two levels */
    check_none(*state, point(&made, "", "copy plain", 0));
    made.record.threads = 1;
    check_none(*state, &made.reading);
    point(&made, "memory", "fma", 4);
    strcpy(made.record.dtype, "f32");
    check_none(*state, &made.reading);
}

/* Where no ladder was measured, streams tell what their own points could reach. */
static void without_a_compute_roof_the_memory_alone_binds(void **state)
{
    struct run streams = {0};
    struct point made;
    (void)state;
    add(&streams, "bandwidth", "memory", "triad plain", TRIAD);
    point(&made, "memory", "triad plain", 1 / 12.0);
    made.reading.summary.typical.value = 0.25;
    check(&streams, &made.reading, TRIAD / 12, "memory");
    run_clear(&streams);
    check_none(&streams, &made.reading);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_point_is_compared_with_the_ceiling_of_its_own_accesses),
        TEST(without_one_it_is_compared_with_the_reads_and_that_is_said),
        TEST(reads_are_compared_with_the_fitted_reads_before_the_streams),
        TEST(the_lower_roof_binds),
        TEST(below_half_of_both_roofs_it_is_latency_that_binds),
        TEST(a_copy_counts_no_operation_and_is_judged_by_its_bytes),
        TEST(half_a_roof_is_none),
        TEST(without_a_compute_roof_the_memory_alone_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
