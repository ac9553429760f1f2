/* The ceilings that the model finds in a run whose roofs are known. */
#include "harness/model/ceilings.h"
#include "harness/model/summary.h"
#include "tests/unit/synthetic_run.h"

static int open_run(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    synthetic_begin(run);
    *state = run;
    return 0;
}

static int close_run(void **state)
{
    run_clear(*state);
    free(*state);
    return 0;
}

static struct part part(const char *dtype, int threads)
{
    return (struct part){"cpu", dtype, threads};
}

static void fit(struct run *run)
{
    if (ceilings_fit(run) != STATUS_OK)
        fail_msg("%s", error_message());
}

static const struct ceiling *find(const struct run *run, const char *reading, const char *level,
                                  const char *mix, int threads)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->reading, reading) == 0 && strcmp(c->level, level) == 0 &&
            strcmp(c->mix, mix) == 0 && c->threads == threads)
            return c;
    }
    fail_msg("no %s ceiling '%s' of '%s' for %d threads", reading, mix, level, threads);
    return NULL;
}

/* ---- Fitted roofs. */

/* The ladder in that level, its rungs from `first` to 4096 multiply-adds. */
static void add_ladder(struct run *run, int level, int threads, int first)
{
    for (int fmas = first; fmas <= 4096; fmas *= 2)
        synthetic_ladder(run, level, threads, fmas);
}

/* Within 1 %, and in an interval that is narrow; 95 % of them hold the truth, so each does when it
 * is made twice as wide. */
static void check_fitted(const struct ceiling *c, double truth, const char *basis)
{
    assert_string_equal(c->status, "determined");
    assert_string_equal(c->basis, basis);
    assert_string_equal(c->dtype, "f64");
    assert_string_equal(c->device, "cpu");
    if (fabs(c->value / truth - 1) > 0.01)
        fail_msg("%s %s: %g, not %g", c->level, c->mix, c->value, truth);
    assert_true(c->low < c->value && c->value < c->high);
    assert_true(ceilings_half_width(c) < 0.04);
    assert_true(2 * c->low - c->value < truth && truth < 2 * c->high - c->value);
    assert_true(c->value == (strcmp(basis, "plateau") == 0 ? c->plateau : c->asymptote));
    assert_true(c->maximum > 0.9 * truth);
    assert_true(c->misfit >= 0);
}

/* The lowest rung counts 1/4 op/B, the plain reads of one thread 1/8. Where not even they reach an
 * eighth of the ridge, the curve has to tell; else the plateau can be seen. */
static void the_roofs_of_a_known_machine_are_found_with_intervals_that_hold_them(void **state)
{
    static const char *const basis[][4] = {{"asymptote", "plateau", "plateau", "plateau"},
                                           {"", "asymptote", "plateau", "plateau"}};
    struct run *run = *state;
    run_clear(run);
    synthetic_run(run);
    synthetic_scatter(run, 0.01);
    fit(run);
    for (int threads = 1; threads <= 2; threads++) {
        const struct ceiling *compute = find(run, "typical", "", "fma", threads);
        check_fitted(compute, threads * synthetic_peak_ops_per_s, "plateau");
        assert_string_equal(compute->kind, "compute");
        assert_string_equal(compute->unit, "op/s");
        assert_int_equal(compute->points, 4 * 13 + (threads == 1 ? 4 : 0));
        for (int level = threads - 1; level < 4; level++) { /* L1 of two threads: below */
            const struct ceiling *c =
                find(run, "typical", synthetic_levels[level], "read ladder", threads);
            double truth = synthetic_bandwidth(level, threads);
            check_fitted(c, truth, basis[threads - 1][level]);
            assert_string_equal(c->kind, "bandwidth");
            assert_string_equal(c->unit, "B/s");
            assert_int_equal(c->points, 13 + (threads == 1));
            assert_true(fabs(c->ridge * truth / compute->value - 1) < 0.03);
            assert_string_not_equal(c->sharp, "not_determined");
            assert_true(c->sharpness_low < 4.5 && c->sharpness_high > 3.5);
        }
    }
}

/* Two threads have no plain read to go on with, and one rung of L1 left of the knee. */
static void a_level_that_the_ladder_does_not_determine_has_a_reason_and_no_value(void **state)
{
    struct run *run = *state;
    for (int level = 0; level < 4; level++)
        add_ladder(run, level, 2, 1);
    fit(run);
    const struct ceiling *c = find(run, "typical", "L1", "read ladder", 2);
    assert_string_equal(c->status, "not_determined");
    assert_string_equal(c->basis, "nothing");
    assert_string_equal(c->sharp, "not_determined");
    assert_string_equal(c->reason, "only one point lies left of the knee of L1, so the bandwidth "
                                   "of L1 is not determined");
    assert_true(c->value == 0 && c->low == 0 && c->high == 0 && c->ridge == 0);
    assert_true(isinf(ceilings_half_width(c)));
    assert_null(ceilings_read(run, "L1", part("f64", 2)));
    assert_null(ceilings_mix(run, "L1", "read ladder", part("f64", 2)));
    assert_non_null(ceilings_read(run, "L2", part("f64", 2)));
}

/* The same knee, seen by a ladder that begins right of it: what is known are the plain reads. */
static void where_the_ladder_tells_nothing_the_plain_reads_are_the_bandwidth(void **state)
{
    struct run *run = *state;
    add_ladder(run, 0, 1, 8);
    add_ladder(run, 3, 1, 1);
    synthetic_stream(run, "read", 1, 1, 16 << 10, 1, synthetic_bytes_per_s[0]);
    fit(run);
    assert_string_equal(find(run, "typical", "L1", "read ladder", 1)->status, "not_determined");
    const struct ceiling *c = ceilings_read(run, "L1", part("f64", 1));
    assert_ptr_equal(c, find(run, "typical", "L1", "read", 1));
    assert_string_equal(c->basis, "streams");
    assert_true(fabs(c->value / synthetic_bytes_per_s[0] - 1) < 1e-9);
    assert_string_equal(ceilings_read(run, "memory", part("f64", 1))->mix, "read ladder");
}

/* Times scatter by some 1 %, so that a quarter of them is about that much shorter. */
static void every_typical_row_has_a_capable_one_that_is_a_little_faster(void **state)
{
    struct run *run = *state;
    size_t typical = 0;
    add_ladder(run, 3, 1, 1);
    synthetic_stream(run, "triad", 3, 2, 256 << 20, 1, 4e9);
    synthetic_scatter(run, 0.01);
    fit(run);
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->reading, "typical") != 0)
            continue;
        typical++;
        const struct ceiling *capable = ceilings_capable(run, c);
        assert_non_null(capable);
        assert_string_equal(capable->reading, "capable");
        assert_string_equal(capable->mix, c->mix);
        assert_string_equal(capable->level, c->level);
        if (!(capable->value > c->value && capable->value < 1.02 * c->value))
            fail_msg("%s %s: %g, but typical %g", c->level, c->mix, capable->value, c->value);
    }
    assert_int_equal(typical, 3);
    assert_int_equal(run->ceilings_count, 2 * typical);
}

static void few_samples_show_what_is_typical_but_not_what_is_possible(void **state)
{
    struct run *run = *state;
    add_ladder(run, 3, 1, 1);
    for (size_t i = 0; i < run->points_count; i++)
        run->points[i].samples_count = 39;
    fit(run);
    assert_int_equal(run->ceilings_count, 2);
    assert_non_null(ceilings_compute(run, part("f64", 1)));
    assert_null(ceilings_capable(run, ceilings_compute(run, part("f64", 1))));
    for (size_t i = 0; i < run->residuals_count; i++)
        assert_string_equal(run->residuals[i].reading, "typical");
}

/* ---- Streams. */

static void check_stream(const struct ceiling *c, double value, size_t points)
{
    assert_string_equal(c->kind, "bandwidth");
    assert_string_equal(c->unit, "B/s");
    assert_string_equal(c->basis, "streams");
    assert_string_equal(c->dtype, "f64");
    if (fabs(c->value / value - 1) > 1e-9 || c->points != (int)points)
        fail_msg("%s %s: %g of %d points, not %g of %zu", c->level, c->mix, c->value, c->points,
                 value, points);
}

static void a_stream_is_the_median_of_its_points_and_its_maximum_the_best(void **state)
{
    struct run *run = *state;
    static const double rates[] = {1e9, 4e9, 2e9, 3e9, 1.5e9};
    for (int i = 0; i < 5; i++)
        synthetic_stream(run, "triad", 3, 2, (256 << 20) * (1 + i / 8.0), 1, rates[i]);
    fit(run);
    assert_int_equal(run->ceilings_count, 2);
    check_stream(find(run, "typical", "memory", "triad plain", 1), 2e9, 5);
    check_stream(find(run, "capable", "memory", "triad plain", 1), 2e9, 5);
    assert_true(fabs(run->ceilings[0].maximum / 4e9 - 1) < 1e-9);
    assert_int_equal(run->residuals_count, 0);
}

static void each_kind_of_access_and_store_has_its_own_ceiling(void **state)
{
    struct run *run = *state;
    synthetic_stream(run, "copy", 2, 0, 256 << 20, 1, 9e9);
    struct record shape = {.threads = 1, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(shape.bench, "bench_vector_add");
    strcpy(shape.dtype, "f64");
    strcpy(shape.store_kind, "nontemporal");
    strcpy(shape.params, "{\"op\":\"copy\",\"store\":\"nontemporal\"}");
    synthetic_add(run, &shape, 1e-4, 0);
    synthetic_stream(run, "read", 1, 1, 256 << 20, 1, 5e9);
    fit(run);
    check_stream(find(run, "typical", "memory", "copy plain", 1), 9e9, 1);
    check_stream(find(run, "typical", "memory", "copy nontemporal", 1), 1e10, 1);
    check_stream(ceilings_mix(run, "memory", "copy plain", part("f64", 1)), 9e9, 1);
    check_stream(ceilings_read(run, "memory", part("f64", 1)), 5e9, 1);
    assert_int_equal(run->ceilings_count, 6);
}

static void a_stream_has_the_interval_of_its_median_point_and_the_flags_of_all(void **state)
{
    struct run *run = *state;
    struct summary summary;
    static const double seconds[] = {0.5e-3, 1e-3, 2e-3}, spread[] = {0.01, 0.2, 0.02};
    static const uint32_t flags[] = {FLAG_foreign_load, 0, FLAG_virtual_machine};
    struct record shape = {.threads = 1, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(shape.bench, "bench_vector_add");
    strcpy(shape.dtype, "f64");
    for (int i = 0; i < 3; i++) {
        snprintf(shape.params, sizeof(shape.params), "{\"op\":\"read\",\"array_bytes\":%d}", i);
        shape.flags = flags[i];
        synthetic_add(run, &shape, seconds[i], spread[i]);
    }
    assert_int_equal(summary_of(&run->points[1], &summary), STATUS_OK);
    fit(run);
    const struct ceiling *c = find(run, "typical", "memory", "read", 1);
    check_stream(c, 1e9, 3);
    assert_true(c->low < 0.98e9 && c->low > 0.8e9);
    assert_true(fabs(c->low * summary.typical.high / 1e6 - 1) < 1e-9);
    assert_true(fabs(c->high * summary.typical.low / 1e6 - 1) < 1e-9);
    assert_int_equal(c->flags, FLAG_foreign_load | FLAG_virtual_machine);
}

/* ---- What is no ceiling, and how they are kept. */

static void controls_and_points_that_are_not_ok_are_left_out(void **state)
{
    struct run *run = *state;
    struct record control = {.threads = 1, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(control.bench, "bench_vector_add");
    strcpy(control.dtype, "f64");
    strcpy(control.params, "{\"op\":\"read\",\"beside\":\"bench_intensity\"}");
    synthetic_add(run, &control, 1e-6, 0);
    synthetic_stream(run, "read", 1, 1, 256 << 20, 1, 5e9)->status = RECORD_wrong;
    synthetic_stream(run, "add", 3, 1, 256 << 20, 1, 5e9)->status = RECORD_failed;
    fit(run);
    assert_int_equal(run->ceilings_count, 0);
}

static void points_between_two_levels_belong_to_no_ceiling(void **state)
{
    struct run *run = *state;
    synthetic_stream(run, "read", 1, 1, 40000, 1, 5e9);
    synthetic_stream(run, "read", 1, 1, 64 << 20, 1, 5e9);
    fit(run);
    assert_int_equal(run->ceilings_count, 0);
}

static void without_levels_nothing_is_a_ceiling_of_a_cache(void **state)
{
    struct run *run = *state;
    free(run->meta_json);
    run->meta_json = strdup("{}");
    synthetic_stream(run, "read", 1, 1, 16 << 10, 1, 5e9);
    fit(run);
    assert_int_equal(run->ceilings_count, 0);
}

static void what_was_not_measured_has_no_ceiling(void **state)
{
    struct run *run = *state;
    add_ladder(run, 3, 1, 1);
    fit(run);
    assert_non_null(ceilings_compute(run, part("f64", 1)));
    assert_non_null(ceilings_read(run, "memory", part("f64", 1)));
    assert_null(ceilings_compute(run, part("f32", 1)));
    assert_null(ceilings_compute(run, part("f64", 2)));
    assert_null(ceilings_read(run, "memory", part("f32", 1)));
    assert_null(ceilings_read(run, "memory", part("f64", 2)));
    assert_null(ceilings_read(run, "L1", part("f64", 1)));
    assert_null(ceilings_mix(run, "memory", "read", part("f64", 1)));
}

static void a_new_fit_replaces_the_old_one_but_only_where_it_is_asked_for(void **state)
{
    struct run *run = *state;
    add_ladder(run, 3, 1, 1);
    assert_int_equal(ceilings_ensure(run), STATUS_OK);
    assert_int_equal(run->ceilings_count, 4);
    assert_int_equal(run->residuals_count, 2 * 13);
    synthetic_stream(run, "copy", 2, 0, 256 << 20, 1, 9e9);
    assert_int_equal(ceilings_ensure(run), STATUS_OK);
    assert_int_equal(run->ceilings_count, 4);
    fit(run);
    assert_int_equal(run->ceilings_count, 6);
    assert_int_equal(run->residuals_count, 2 * 13);
    assert_string_equal(run->ceilings[0].kind, "compute");
    assert_string_equal(run->ceilings[0].reading, "typical");
    assert_string_equal(run->ceilings[5].reading, "capable");
}

/* A stream that some rung copies at that rate. */
static void add_copy(struct run *run, const char *device, const char *variant, double array_bytes,
                     double bytes_per_s)
{
    struct record shape = {
        .threads = 1, .bytes = 2 * array_bytes, .working_set_bytes = 2 * array_bytes};
    strcpy(shape.bench, "bench_vector_add");
    strcpy(shape.device, device);
    strcpy(shape.variant, variant);
    strcpy(shape.dtype, "f64");
    strcpy(shape.store_kind, "plain");
    snprintf(shape.params, sizeof(shape.params), "{\"op\":\"copy\",\"array_bytes\":%.0f}",
             array_bytes);
    synthetic_add(run, &shape, shape.bytes / bytes_per_s, 0);
}

static void of_several_rungs_the_fastest_shows_what_a_level_can_do(void **state)
{
    struct run *run = *state;
    add_copy(run, "cpu", "scalar", 256 << 20, 3e9);
    add_copy(run, "cpu", "vector", 256 << 20, 9e9);
    add_copy(run, "cpu", "unrolled", 256 << 20, 6e9);
    fit(run);
    check_stream(ceilings_mix(run, "memory", "copy plain", part("f64", 1)), 9e9, 1);
}

/* In its caches a launch takes longer than the data. */
static void streams_of_a_gpu_tell_of_its_memory_alone(void **state)
{
    struct run *run = *state;
    free(run->machine_json);
    run->machine_json =
        strdup("{\"devices\":[{\"device\":\"cuda:0\",\"levels\":\"L1=4194304,L2=16777216*\"}]}");
    add_copy(run, "cuda:0", "unrolled", 64 << 10, 1e10);
    add_copy(run, "cuda:0", "unrolled", 4 << 20, 1e11);
    add_copy(run, "cuda:0", "unrolled", 256 << 20, 4e12);
    fit(run);
    const struct part gpu = {"cuda:0", "f64", 1};
    assert_null(ceilings_mix(run, "L1", "copy plain", gpu));
    assert_null(ceilings_mix(run, "L2", "copy plain", gpu));
    assert_non_null(ceilings_mix(run, "memory", "copy plain", gpu));
}

static void a_ladder_of_which_too_little_is_left_says_so(void **state)
{
    struct run *run = *state;
    synthetic_ladder(run, 3, 1, 1);
    synthetic_ladder(run, 3, 1, 512);
    fit(run);
    const struct ceiling *compute = find(run, "typical", "", "fma", 1);
    assert_string_equal(compute->status, "not_determined");
    assert_string_equal(compute->reason, "fewer than 3 steady points of 6 samples or more");
    assert_true(compute->value == 0 && compute->points == 2);
    assert_int_equal(run->ceilings_count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_roofs_of_a_known_machine_are_found_with_intervals_that_hold_them),
        TEST(a_level_that_the_ladder_does_not_determine_has_a_reason_and_no_value),
        TEST(where_the_ladder_tells_nothing_the_plain_reads_are_the_bandwidth),
        TEST(every_typical_row_has_a_capable_one_that_is_a_little_faster),
        TEST(few_samples_show_what_is_typical_but_not_what_is_possible),
        TEST(a_stream_is_the_median_of_its_points_and_its_maximum_the_best),
        TEST(each_kind_of_access_and_store_has_its_own_ceiling),
        TEST(a_stream_has_the_interval_of_its_median_point_and_the_flags_of_all),
        TEST(controls_and_points_that_are_not_ok_are_left_out),
        TEST(points_between_two_levels_belong_to_no_ceiling),
        TEST(without_levels_nothing_is_a_ceiling_of_a_cache),
        TEST(what_was_not_measured_has_no_ceiling),
        TEST(a_new_fit_replaces_the_old_one_but_only_where_it_is_asked_for),
        TEST(of_several_rungs_the_fastest_shows_what_a_level_can_do),
        TEST(streams_of_a_gpu_tell_of_its_memory_alone),
        TEST(a_ladder_of_which_too_little_is_left_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
