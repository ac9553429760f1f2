/* How a run becomes ladders: whose rounds, whose controls, and what is kept of each point. */
#include "harness/model/fit.h"
#include "harness/model/roofs.h"
#include "tests/unit/synthetic_run.h"

enum { MEMORY = 3 };

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

static void fit(struct run *run)
{
    struct readings readings;
    run_forget_fit(run);
    assert_int_equal(readings_of(run, &readings), STATUS_OK);
    if (roofs_fit(&readings, run) != STATUS_OK)
        fail_msg("%s", error_message());
    readings_clear(&readings);
}

static void add_ladder(struct run *run, int threads)
{
    for (int fmas = 1; fmas <= 4096; fmas *= 2)
        synthetic_ladder(run, MEMORY, threads, fmas);
}

/* Some reads of one thread from memory, 1/8 op/B. */
static void add_reads(struct run *run)
{
    for (int i = 0; i < 4; i++)
        synthetic_stream(run, "read", 1, 1, (256 << 20) * (1 + i / 4.0), 1,
                         synthetic_bytes_per_s[MEMORY]);
}

/* A control beside that bench: pure arithmetic, or reads from memory. */
static void add_control(struct run *run, const char *beside, bool is_arithmetic, int threads)
{
    struct record shape = {.threads = threads, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(shape.bench, is_arithmetic ? "bench_intensity" : "bench_vector_add");
    strcpy(shape.dtype, "f64");
    snprintf(shape.params, sizeof(shape.params), "{%s,\"threads\":%d,\"beside\":\"%s\"}",
             is_arithmetic ? "\"level\":\"L1\",\"fmas\":1024" : "\"op\":\"read\"", threads, beside);
    synthetic_add(run, &shape, 1e-3, 0);
}

static void add_controls(struct run *run, const char *beside, int threads)
{
    add_control(run, beside, true, threads);
    add_control(run, beside, false, threads);
}

static bool belongs_to(const struct record *point, const char *bench)
{
    char beside[64];
    snprintf(beside, sizeof(beside), "\"beside\":\"%s\"", bench);
    bool is_control = strstr(point->params, "\"beside\":") != NULL;
    return is_control ? strstr(point->params, beside) != NULL : strcmp(point->bench, bench) == 0;
}

/* The whole machine is that much slower in a round of a bench, and so is what ran beside it. */
static void slow_down(struct run *run, const char *bench, int round, double factor)
{
    for (size_t i = 0; i < run->points_count; i++) {
        struct record *point = &run->points[i];
        for (size_t s = 0; s < point->samples_count && belongs_to(point, bench); s++)
            if (point->samples[s].round == round)
                point->samples[s].seconds *= factor;
    }
}

static void forget_round(struct record *point, int round)
{
    size_t kept = 0;
    for (size_t s = 0; s < point->samples_count; s++)
        if (point->samples[s].round != round)
            point->samples[kept++] = point->samples[s];
    point->samples_count = kept;
}

static const struct ceiling *find(const struct run *run, const char *level, const char *dtype,
                                  int threads)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->reading, "typical") == 0 && strcmp(c->level, level) == 0 &&
            strcmp(c->dtype, dtype) == 0 && c->threads == threads)
            return c;
    }
    fail_msg("no ceiling '%s' for %d threads", level, threads);
    return NULL;
}

static const struct residual *residual_of(const struct run *run, const struct record *point)
{
    for (size_t i = 0; i < run->residuals_count; i++)
        if (strcmp(run->residuals[i].case_id, point->case_id) == 0)
            return &run->residuals[i];
    fail_msg("no residual of %s", point->params);
    return NULL;
}

static double miss(double value, double truth)
{
    return fabs(log(value / truth));
}

/* ---- Which points. */

static void each_thread_count_dtype_and_device_has_a_ladder_of_its_own(void **state)
{
    struct run *run = *state;
    add_ladder(run, 1);
    add_ladder(run, 2);
    fit(run);
    assert_int_equal(run->ceilings_count, 2 * 2 * 2); /* readings, ladders, ceilings */
    assert_true(miss(find(run, "", "f64", 2)->value, 2 * synthetic_peak_ops_per_s) < 1e-3);
    assert_true(miss(find(run, "", "f64", 1)->value, synthetic_peak_ops_per_s) < 1e-3);
    for (size_t i = 0; i < run->points_count; i++)
        if (run->points[i].threads == 2)
            strcpy(run->points[i].dtype, "f32");
    fit(run);
    assert_int_equal(find(run, "", "f64", 1)->points, 13);
    assert_int_equal(find(run, "", "f32", 2)->points, 13);
    for (size_t i = 0; i < run->points_count; i += 2)
        strcpy(run->points[i].device, "other");
    fit(run);
    assert_int_equal(run->ceilings_count, 2 * 4 * 2);
}

static void plain_reads_go_on_with_a_ladder_and_are_none_alone(void **state)
{
    struct run *run = *state;
    add_reads(run);
    synthetic_stream(run, "triad", 3, 2, 256 << 20, 1, 1e9);
    fit(run);
    assert_int_equal(run->ceilings_count + run->residuals_count, 0);
    add_ladder(run, 1);
    fit(run);
    assert_int_equal(find(run, "memory", "f64", 1)->points, 13 + 4);
    assert_int_equal(run->residuals_count, 2 * (13 + 4));
}

/* ---- Residuals. */

static void every_point_has_a_residual_with_its_case_and_why_it_was_left_out(void **state)
{
    struct run *run = *state;
    struct record *short_one, *far_one, *unsteady_one;
    add_ladder(run, 1);
    short_one = &run->points[5];
    far_one = &run->points[7];
    unsteady_one = &run->points[9];
    short_one->samples_count = 4;
    for (size_t s = 0; s < far_one->samples_count; s++)
        far_one->samples[s].seconds *= 1.5;
    for (size_t s = 0; s < unsteady_one->samples_count; s++)
        unsteady_one->samples[s].seconds *= 1 + 0.3 * unsteady_one->samples[s].round;
    fit(run);
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *point = &run->points[i];
        const struct residual *r = residual_of(run, point);
        enum roof_exclusion expected = point == short_one      ? ROOF_TOO_FEW_SAMPLES
                                       : point == far_one      ? ROOF_OUTLIER
                                       : point == unsteady_one ? ROOF_UNSTEADY
                                                               : ROOF_KEPT;
        assert_string_equal(r->excluded, roof_exclusion_text(expected));
        assert_string_equal(r->reading, "typical");
        if (point == short_one)
            assert_true(r->ops_per_s == 0 && r->residual == 0);
        else if (expected == ROOF_KEPT)
            assert_true(fabs(r->residual) < 0.01 && r->ops_per_s > 0);
    }
    assert_true(fabs(residual_of(run, far_one)->residual + log(1.5)) < 0.02);
    assert_true(miss(find(run, "", "f64", 1)->value, synthetic_peak_ops_per_s) < 0.01);
}

/* ---- Rounds. */

/* Each bench has its own bad round, and the numbers of the rounds are the same. Taken for the same
 * rounds, the reads would be blamed for what the ladder's round suffered. */
static void rounds_of_two_benches_are_different_rounds(void **state)
{
    struct run *run = *state;
    add_ladder(run, 1);
    add_reads(run);
    add_controls(run, "bench_intensity", 1);
    add_controls(run, "bench_vector_add", 1);
    synthetic_scatter(run, 0.003);
    slow_down(run, "bench_intensity", 0, 1.3);
    slow_down(run, "bench_intensity", 1, 1.3);
    slow_down(run, "bench_vector_add", 2, 1.3);
    slow_down(run, "bench_vector_add", 3, 1.3);
    fit(run);
    for (size_t i = 0; i < run->residuals_count; i++) {
        const struct residual *r = &run->residuals[i];
        if (r->excluded[0] || fabs(r->residual) > 0.02)
            fail_msg("%s: residual %g, '%s'", run_find(run, r->case_id)->params, r->residual,
                     r->excluded);
    }
}

/* ---- Controls. */

/* In the last two rounds the machine was 20 % faster. What feels the arithmetic, from an eighth of
 * the ridge on, was lost in them, so that the controls alone tell what it would have reached. The
 * truth is that of the mean state: 10 % above what was seen. */
static double peak_of_half_a_run(struct run *run, const char *beside, int control_threads)
{
    add_ladder(run, 1);
    if (control_threads)
        add_controls(run, beside, control_threads);
    for (int round = 2; round < SYNTHETIC_ROUNDS; round++)
        slow_down(run, "bench_intensity", round, exp(-0.2));
    for (size_t i = 0; i < run->points_count; i++) {
        struct record *point = &run->points[i];
        bool is_arithmetic =
            point->operations / point->bytes >= 2 && !strstr(point->params, "\"beside\"");
        for (int round = 2; round < SYNTHETIC_ROUNDS && is_arithmetic; round++)
            forget_round(point, round);
    }
    fit(run);
    return find(run, "", "f64", 1)->value;
}

static double peak_with(const char *beside, int control_threads)
{
    struct run run;
    synthetic_begin(&run);
    double peak = peak_of_half_a_run(&run, beside, control_threads);
    run_clear(&run);
    return peak;
}

static void controls_divide_out_a_drift_that_the_points_alone_do_not_show(void **state)
{
    (void)state;
    double truth = synthetic_peak_ops_per_s * exp(0.1);
    double with = peak_with("bench_intensity", 1), without = peak_with("", 0);
    assert_true(miss(with, truth) < 0.01);
    assert_true(miss(without, truth) > 0.03);
}

static void controls_of_other_threads_or_benches_tell_nothing(void **state)
{
    (void)state;
    double without = peak_with("", 0);
    assert_true(peak_with("bench_intensity", 2) == without);
    assert_true(peak_with("bench_vector_add", 1) == without);
}

static void controls_that_failed_tell_nothing(void **state)
{
    struct run *run = *state;
    double with = peak_of_half_a_run(run, "bench_intensity", 1);
    for (size_t i = 0; i < run->points_count; i++)
        if (strstr(run->points[i].params, "\"beside\""))
            run->points[i].status = RECORD_wrong;
    fit(run);
    assert_true(find(run, "", "f64", 1)->value == peak_with("", 0));
    assert_true(find(run, "", "f64", 1)->value != with);
}

/* The ladder in a GPU's shared memory (as slow as memory here, so that the ladder determines it),
 * which is no cache and has no capacity among its levels. */
static void shared_memory_has_a_bandwidth_of_its_own(void **state)
{
    struct run *run = *state;
    for (int fmas = 1; fmas <= 4096; fmas *= 2) {
        struct record *point = synthetic_ladder(run, MEMORY, 1, fmas);
        strcpy(point->device, "cuda:0");
        snprintf(point->params, sizeof(point->params),
                 "{\"dtype\":\"f64\",\"level\":\"shared\",\"threads\":1,\"fmas\":%d}", fmas);
    }
    fit(run);
    const struct ceiling *c = find(run, "shared", "f64", 1);
    assert_string_equal(c->kind, "bandwidth");
    assert_string_equal(c->device, "cuda:0");
    assert_true(fabs(c->value / synthetic_bytes_per_s[MEMORY] - 1) < 0.01);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_thread_count_dtype_and_device_has_a_ladder_of_its_own),
        TEST(plain_reads_go_on_with_a_ladder_and_are_none_alone),
        TEST(every_point_has_a_residual_with_its_case_and_why_it_was_left_out),
        TEST(rounds_of_two_benches_are_different_rounds),
        TEST(controls_divide_out_a_drift_that_the_points_alone_do_not_show),
        TEST(controls_of_other_threads_or_benches_tell_nothing),
        TEST(controls_that_failed_tell_nothing),
        TEST(shared_memory_has_a_bandwidth_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
