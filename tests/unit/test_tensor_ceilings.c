/* The ceilings of matrix units, and that each device of a run is judged by its own roofs. */
#include "harness/model/attain.h"
#include "harness/model/ceilings.h"
#include "harness/model/ladder.h"
#include "tests/unit/synthetic_run.h"

static const double SECOND_SLOWER = 0.5; /* cuda:1 beside cuda:0 */

static const char *implementation = "";

/* A product or a chain that runs at `rate` op/s. */
static void add(struct run *run, const char *device, const char *bench, const char *variant,
                const char *dtype, const char *params, double rate)
{
    struct record shape = {
        .threads = 1, .bytes = 1 << 20, .operations = 1e12, .working_set_bytes = 1 << 30};
    strcpy(shape.device, device);
    strcpy(shape.bench, bench);
    strcpy(shape.variant, variant);
    strcpy(shape.dtype, dtype);
    strcpy(shape.implementation, implementation);
    snprintf(shape.params, sizeof(shape.params), "{\"dtype\":\"%s\",%s}", dtype, params);
    synthetic_add(run, &shape, shape.operations / rate, 0.001);
}

static void add_gpu(struct run *run, const char *device, double speed)
{
    add(run, device, "bench_gemm", "mma", "f16", "\"shape\":\"4096x4096x4096\"", speed * 5e14);
    add(run, device, "bench_gemm", "cublas", "f16", "\"shape\":\"8192x8192x8192\"", speed * 9e14);
    add(run, device, "bench_gemm", "cublaslt", "f16", "\"shape\":\"1024x1024x1024\"", speed * 3e14);
    add(run, device, "bench_gemm", "cublaslt", "f16", "\"shape\":\"4096x4096x4096\"", speed * 8e14);
    add(run, device, "bench_gemm", "cublaslt", "f16", "\"shape\":\"8192x8192x8192\"", speed * 7e14);
    add(run, device, "bench_gemm", "cublaslt", "f32", "\"shape\":\"4096x4096x4096\"", speed * 5e13);
    add(run, device, "bench_tensor", "chains", "f16", "\"steps\":4097", speed * 6e14);
    add(run, device, "bench_tensor", "chains", "f64", "\"steps\":4097", speed * 6e13);
    implementation = "cuBLASLt 13.1.0, CUBLAS_EMULATE_DOUBLE_PRECISION=1, algorithm 66";
    add(run, device, "bench_gemm", "cublaslt", "f64", "\"shape\":\"2048x2048x2048\"", speed * 9e14);
    implementation = "";
    add(run, device, "bench_gemm", "mma", "f64", "\"shape\":\"4096x4096x4096\"", speed * 5e13);
}

static int open_run(void **state)
{
    static struct run run;
    synthetic_begin(&run);
    add_gpu(&run, "cuda:0", 1);
    add_gpu(&run, "cuda:1", SECOND_SLOWER);
    *state = &run;
    return ceilings_fit(&run) == STATUS_OK ? 0 : 1;
}

static int close_run(void **state)
{
    run_clear(*state);
    return 0;
}

static const struct ceiling *find(const struct run *run, const char *reading, const char *device,
                                  const char *mix, const char *dtype)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->reading, reading) == 0 && strcmp(c->device, device) == 0 &&
            strcmp(c->mix, mix) == 0 && strcmp(c->dtype, dtype) == 0)
            return c;
    }
    return NULL;
}

static void check_near(double got, double want)
{
    if (!(fabs(got / want - 1) < 0.002))
        fail_msg("%g is not %g", got, want);
}

static void the_fastest_size_by_cublaslt_is_the_ceiling(void **state)
{
    const struct ceiling *c = find(*state, "typical", "cuda:0", "cublaslt", "f16");
    assert_non_null(c);
    check_near(c->value, 8e14);
    assert_string_equal(c->kind, "compute");
    assert_string_equal(c->level, "");
    assert_string_equal(c->unit, "op/s");
    assert_string_equal(c->basis, "best of sizes");
    assert_string_equal(c->status, "determined");
    assert_string_equal(c->reason, "best at 4096x4096x4096, of 3 products");
    assert_int_equal(c->points, 3);
    assert_true(c->low > 0 && c->low <= c->value && c->value <= c->high);
}

static void what_is_possible_is_read_off_the_faster_samples(void **state)
{
    const struct ceiling *typical = find(*state, "typical", "cuda:0", "cublaslt", "f16");
    const struct ceiling *capable = find(*state, "capable", "cuda:0", "cublaslt", "f16");
    assert_non_null(capable);
    assert_true(capable->value > typical->value && capable->value < 1.01 * typical->value);
    assert_ptr_equal(ceilings_capable(*state, typical), capable);
}

static void arithmetic_that_was_forced_is_no_ceiling(void **state)
{
    assert_null(find(*state, "typical", "cuda:0", "cublaslt", "f64"));
}

static void chains_have_their_own_row_and_say_how_long_they_are(void **state)
{
    const struct ceiling *c = find(*state, "typical", "cuda:0", "mma.sync", "f16");
    assert_non_null(c);
    check_near(c->value, 6e14);
    assert_string_equal(c->basis, "chains");
    assert_string_equal(c->reason, "in chains of 4097 products");
}

static void plain_cores_keep_their_roof(void **state)
{
    assert_null(find(*state, "typical", "cuda:0", "cublaslt", "f32"));
    assert_null(ceilings_compute(*state, (struct part){"cuda:0", "f16", 1}));
    assert_null(ceilings_product(*state, (struct part){"cuda:0", "f32", 1}));
}

static void the_roof_of_products_is_the_highest_ceiling_of_their_own_device(void **state)
{
    const struct ceiling *of_f16 = ceilings_product(*state, (struct part){"cuda:0", "f16", 1});
    const struct ceiling *of_f64 = ceilings_product(*state, (struct part){"cuda:0", "f64", 1});
    const struct ceiling *second = ceilings_product(*state, (struct part){"cuda:1", "f16", 1});
    assert_string_equal(of_f16->mix, "cublaslt");
    assert_string_equal(of_f64->mix, "mma.sync");
    check_near(second->value, 8e14 * SECOND_SLOWER);
    assert_null(ceilings_product(*state, (struct part){"cuda:2", "f16", 1}));
    assert_null(ceilings_product(*state, (struct part){"cuda:0", "f16", 2}));
}

/* Were cuda:1 judged by cuda:0, its rung would have half of that. */
static void shares_of_a_rung_are_of_its_own_device(void **state)
{
    const struct run *run = *state;
    int seen = 0;
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *p = &run->points[i];
        if (strcmp(p->variant, "mma") != 0 || strcmp(p->dtype, "f16") != 0)
            continue;
        check_near(p->share_of_roof, 5.0 / 8);
        check_near(p->share_of_peer, 5.0 / 8);
        seen++;
    }
    assert_int_equal(seen, 2);
}

static void ladders_of_devices_stand_apart_under_their_own_roofs(void **state)
{
    struct ladders ladders;
    assert_int_equal(ladders_of(*state, &ladders), STATUS_OK);
    int seen = 0;
    for (size_t i = 0; i < ladders.count; i++) {
        const struct ladder *ladder = &ladders.list[i];
        const bool is_second = strcmp(ladder->rungs[0]->device, "cuda:1") == 0;
        for (size_t r = 0; r < ladder->count; r++)
            assert_string_equal(ladder->rungs[r]->device, ladder->rungs[0]->device);
        check_near(ladder->roof->value, 8e14 * (is_second ? SECOND_SLOWER : 1));
        seen++;
    }
    assert_int_equal(seen, 4); /* 4096 and 8192, of two devices */
    ladders_clear(&ladders);
}

/* The plain cores do 3.4e13: a product of matrix units is no point above its roof. */
static void a_product_is_not_above_the_roof_of_the_plain_cores(void **state)
{
    struct run *run = *state;
    struct attainment a;
    struct reading r = {.level = "memory", .intensity = 1e6};
    struct ceiling row = *ceilings_product(run, (struct part){"cuda:0", "f64", 1});
    strcpy(row.mix, "fma");
    row.value = 3.4e13;
    run->ceilings[0] = row;
    strcpy(row.kind, "bandwidth");
    strcpy(row.mix, "read");
    strcpy(row.level, "memory");
    row.value = 1e12;
    run->ceilings[1] = row;
    for (size_t i = 0; i < run->points_count && !r.point; i++)
        if (strcmp(run->points[i].variant, "mma") == 0 && strcmp(run->points[i].dtype, "f64") == 0)
            r.point = &run->points[i];
    r.summary.typical.value = r.point->operations / 5e13;
    attain(run, &r, &a);
    check_near(a.attainable, 6e13);
    assert_false(a.is_above);
    assert_string_equal(a.bound, "compute");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_fastest_size_by_cublaslt_is_the_ceiling),
        TEST(what_is_possible_is_read_off_the_faster_samples),
        TEST(arithmetic_that_was_forced_is_no_ceiling),
        TEST(chains_have_their_own_row_and_say_how_long_they_are),
        TEST(plain_cores_keep_their_roof),
        TEST(the_roof_of_products_is_the_highest_ceiling_of_their_own_device),
        TEST(shares_of_a_rung_are_of_its_own_device),
        TEST(ladders_of_devices_stand_apart_under_their_own_roofs),
        TEST(a_product_is_not_above_the_roof_of_the_plain_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
