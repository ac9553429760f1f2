/* bench_gemm: which rung is picked, what is counted, and that no wrong product is ever timed. */
#include "harness/measure/runner.h"
#include "kernels/gemm/gemm.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct bench bench_gemm;

static const struct policy short_policy = {
    .name = "short",
    .rounds = 1,
    .fewest_samples = 1,
    .wanted_samples = 1,
    .most_samples = 1,
    .sample_seconds = 1e-9,
    .clock_ticks = 1,
    .target_half_width = 1,
};

/* ---- Rungs that do it right, or wrong in one way each; f32 only, and one for int8. */

static void multiply(const struct gemm_args *g)
{
    const float *a = g->a, *b = g->b;
    float *c = g->c;
    for (int64_t row = 0; row < g->batch * g->m; row++, a += g->k, c += g->n) {
        for (int64_t j = 0; j < g->n; j++)
            c[j] = 0;
        for (int64_t l = 0; l < g->k; l++)
            for (int64_t j = 0; j < g->n; j++)
                c[j] += a[l] * b[(row / g->m * g->k + l) * g->n + j];
    }
}

static enum status right(struct device *d, const void *args, int64_t first, int64_t count)
{
    (void)d, (void)first, (void)count;
    multiply(args);
    return STATUS_OK;
}

static enum status one_element(struct device *d, const void *args, int64_t first, int64_t count)
{
    const struct gemm_args *g = args;
    right(d, args, first, count);
    ((float *)g->c)[g->m / 2 * g->n + g->n / 3] += 0.01F;
    return STATUS_OK;
}

static enum status no_tail(struct device *d, const void *untyped, int64_t first, int64_t count)
{
    struct gemm_args g = *(const struct gemm_args *)untyped;
    right(d, &g, first, count);
    for (int64_t i = 0; i < g.m; i++)
        ((float *)g.c)[i * g.n + g.n - 1] = 0;
    return STATUS_OK;
}

static enum status swapped(struct device *d, const void *args, int64_t first, int64_t count)
{
    const struct gemm_args *g = args;
    right(d, args, first, count);
    for (int64_t i = 0; i < g->m; i++) {
        float *row = (float *)g->c + i * g->n, kept = row[16];
        row[16] = row[32];
        row[32] = kept;
    }
    return STATUS_OK;
}

static enum status silent(struct device *d, const void *args, int64_t first, int64_t count)
{
    (void)d, (void)args, (void)first, (void)count;
    return STATUS_OK;
}

static enum status f32_only(const void *args)
{
    return ((const struct gemm_args *)args)->type == GEMM_F32 ? STATUS_OK
                                                              : FAIL(STATUS_SKIP, "f32 only");
}

static enum status int8_only(const void *args)
{
    return ((const struct gemm_args *)args)->type == GEMM_INT8 ? STATUS_OK
                                                               : FAIL(STATUS_SKIP, "int8 only");
}

static size_t some_workspace(const void *args, int threads)
{
    (void)args;
    return (size_t)threads * 64;
}

static void say_what_it_is(const void *args, int threads, char *text, size_t size)
{
    snprintf(text, size, "m=%d for %d", (int)((const struct gemm_args *)args)->m, threads);
}

static const struct kernel rungs[] = {
    {.name = "right",
     .launch = right,
     .supports = f32_only,
     .workspace_bytes = some_workspace,
     .describe = say_what_it_is},
    {.name = "one_element", .launch = one_element, .supports = f32_only},
    {.name = "no_tail", .launch = no_tail, .supports = f32_only},
    {.name = "swapped", .launch = swapped, .supports = f32_only},
    {.name = "silent", .launch = silent, .supports = f32_only},
    {.name = "best", .launch = right, .supports = f32_only},
    {.name = "narrow", .launch = silent, .supports = int8_only},
    {.name = "theirs", .launch = right, .is_peer = true},
};
static const struct kernel *const ladder[] = {&rungs[0], &rungs[1], &rungs[2], &rungs[3], &rungs[4],
                                              &rungs[5], &rungs[6], &rungs[7], NULL};
static const struct kernel_set kernels = {.family = {[FAMILY_GEMM] = ladder}};

struct bed {
    struct device *device;
    struct plan_context context;
    struct plan plan;
};

static int open_bed(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    bed->device = fake_device_open("fake:1e-3");
    bed->device->kernels = &kernels;
    bed->context = (struct plan_context){.device = bed->device, .policy = &short_policy};
    *state = bed;
    return 0;
}

static int close_bed(void **state)
{
    struct bed *bed = *state;
    plan_clear(&bed->plan);
    device_close(bed->device);
    free(bed);
    return 0;
}

static void plan(struct bed *bed, const char *kernel, const char *dtype, const char *shape)
{
    const char *const settings[] = {dtype, shape, "threads=1", NULL};
    plan_clear(&bed->plan);
    assert_int_equal(plan_add(&bed->plan, &bench_gemm, kernel, settings, &bed->context), STATUS_OK);
}

/* The outcome of a rung at one shape; the caller clears the record. */
static void run_rung(struct bed *bed, const char *kernel, const char *shape, struct record *point)
{
    struct runner_result result;
    const struct emit emit = {.record_fd = -1, .ack_fd = -1};
    const struct runner_options options = {.policy = &short_policy, .run_id = "a run"};
    plan(bed, kernel, "dtype=f32", shape);
    assert_int_equal(bed->plan.count, 1);
    assert_int_equal(runner_run(&bed->plan, &bed->context, &options, &emit, NULL, NULL, &result),
                     STATUS_OK);
    assert_int_equal(record_copy(point, &result.points[0]), STATUS_OK);
    runner_result_clear(&result);
}

static void each_way_of_being_wrong_voids_the_point(void **state)
{
    static const char *const wrong[] = {"one_element", "no_tail", "swapped", "silent"};
    static const char *const shapes[] = {"shape=70x65x33", "shape=600x517x530"};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct record point;
        run_rung(*state, "right", shapes[s], &point);
        assert_int_equal(point.status, RECORD_ok);
        assert_true(point.samples_count > 0);
        const bool is_rounded = s == 1; /* short sums of these values are exact */
        if (point.check_max_error > point.check_tolerance ||
            (point.check_max_error > 0) != is_rounded)
            fail_msg("error %g, tolerance %g", point.check_max_error, point.check_tolerance);
        record_clear(&point);
        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            run_rung(*state, wrong[i], shapes[s], &point);
            if (point.status != RECORD_wrong)
                fail_msg("%s at %s passes", wrong[i], shapes[s]);
            assert_non_null(strstr(point.reason, wrong[i]));
            assert_int_equal(point.samples_count, 0);
            record_clear(&point);
        }
    }
}

static void batches_are_independent_products(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"dtype=f32", "shape=8x9x10", "batch=30", "threads=1", NULL};
    struct runner_result result;
    const struct emit emit = {.record_fd = -1, .ack_fd = -1};
    const struct runner_options options = {.policy = &short_policy, .run_id = "a run"};
    assert_int_equal(plan_add(&bed->plan, &bench_gemm, "right", settings, &bed->context),
                     STATUS_OK);
    assert_int_equal(runner_run(&bed->plan, &bed->context, &options, &emit, NULL, NULL, &result),
                     STATUS_OK);
    assert_int_equal(result.points[0].status, RECORD_ok);
    assert_true(result.points[0].operations == 2.0 * 8 * 9 * 10 * 30);
    assert_true(result.points[0].bytes == 4.0 * 30 * (80 + 90 + 72));
    assert_true(result.points[0].working_set_bytes == 4.0 * 30 * (80 + 90 + 72));
    assert_string_equal(result.points[0].implementation, "m=8 for 1");
    runner_result_clear(&result);
}

static void the_best_rung_of_our_own_is_picked_for_each_type(void **state)
{
    struct bed *bed = *state;
    plan(bed, NULL, "dtype=f32,int8", "shape=16");
    assert_int_equal(bed->plan.count, 2);
    assert_string_equal(bed->plan.cases[0].kernel->name, "best");
    assert_string_equal(bed->plan.cases[1].kernel->name, "narrow");
    plan(bed, "all", "dtype=f32", "shape=16");
    assert_int_equal(bed->plan.count, 7); /* all but the narrow one, the peer among them */
    plan(bed, "theirs", "dtype=f64", "shape=16");
    assert_int_equal(bed->plan.count, 1);
    plan(bed, NULL, "dtype=f64", "shape=16");
    assert_int_equal(bed->plan.count, 0); /* only the peer could */
    sentence_check(plan_refuse_empty(&bed->plan, &bench_gemm), STATUS_SKIP, "only");
}

static void sums_that_could_overflow_are_refused(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"dtype=int8", "shape=1x1x131073", NULL};
    sentence_check(plan_add(&bed->plan, &bench_gemm, "all", settings, &bed->context),
                   STATUS_BAD_ARGUMENT, "overflow");
}

static void units_cover_every_row_once(void **state)
{
    (void)state;
    const struct kernel *const real[] = {&gemm_cpu_naive, &gemm_cpu_order, &gemm_cpu_tiles};
    static const int64_t shapes[][4] = {
        {1000, 300, 400, 1}, {1, 4096, 4096, 1}, {64, 64, 64, 50}, {1, 1, 1, 1}, {7, 5000, 900, 3}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
            const struct gemm_args g = {
                .m = shapes[s][0], .n = shapes[s][1], .k = shapes[s][2], .batch = shapes[s][3]};
            const int64_t units = real[i]->units(&g);
            int64_t next = 0, first, count;
            for (int64_t u = 0; u < units; u++) {
                gemm_unit_rows(real[i], &g, u, &first, &count);
                assert_int_equal(first, next);
                assert_true(count > 0);
                next = first + count;
            }
            assert_int_equal(next, g.batch * g.m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)
        TEST(each_way_of_being_wrong_voids_the_point),
        TEST(batches_are_independent_products),
        TEST(the_best_rung_of_our_own_is_picked_for_each_type),
        TEST(sums_that_could_overflow_are_refused),
        TEST(units_cover_every_row_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
