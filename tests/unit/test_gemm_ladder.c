/* The teaching rungs: their answers for every type, shape and number of threads, their slabs, and
 * what they say that they move. */
#include "kernels/isa/isa.h"
#include "tests/unit/gemm_check.h"

static void naive_is_right_for_every_type_and_shape_unit_by_unit(void **state)
{
    check_kernel(*state, &gemm_cpu_naive, GEMM_CPU_TYPE_COUNT);
}

static void check_every_set(struct device *device, const struct kernel *kernel)
{
    for (const struct isa *isa = isa_table; isa->name; isa++)
        if (isa->supported()) {
            assert_int_equal(kernels_cpu_choose(isa->name), STATUS_OK);
            check_kernel(device, kernel, GEMM_CPU_TYPE_COUNT);
        }
    assert_int_equal(kernels_cpu_choose(NULL), STATUS_OK);
}

static void order_is_right_for_every_set_type_and_shape_unit_by_unit(void **state)
{
    check_every_set(*state, &gemm_cpu_order);
}

static void tiles_are_right_for_every_set_type_and_shape_unit_by_unit(void **state)
{
    check_every_set(*state, &gemm_cpu_tiles);
}

/* More threads than a slab has rows share its columns, too. */
static void more_threads_than_rows_compute_each_element_once(void **state)
{
    enum { MANY = 11 };
    struct device *device = *state, many = {0};
    int cpus[MANY];
    for (int i = 0; i < MANY; i++)
        cpus[i] = device->info.cpus[i % THREADS];
    assert_int_equal(team_open(cpus, MANY, &many.team), STATUS_OK);
    const struct shape few[] = {{1, 1, 3, 1}, {2, 300, 20, 1}, {3, 33, 5, 2}, {64, 100, 9, 1}};
    const struct kernel *kernels[] = {&gemm_cpu_naive, &gemm_cpu_order, &gemm_cpu_tiles};
    for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
        for (int k = 0; k < 3; k++) {
            struct operands o;
            open_operands(&o, GEMM_F32, &few[i]);
            check_units(&many, kernels[k], &o);
            close_operands(&o);
        }
    team_close(many.team);
}

static void slabs_are_small_enough_to_time_and_have_rows_for_each_thread(void **state)
{
    struct gemm_args args = {.type = GEMM_F32, .m = 128, .n = 128, .k = 128, .batch = 1};
    (void)state;
    assert_int_equal(gemm_cpu_naive.units(&args), 1);
    assert_int_equal(gemm_cpu_tiles.units(&args), 1);
    args.m = 1024;
    assert_int_equal(gemm_cpu_naive.units(&args), 8); /* by operations */
    args.n = args.k = 4096;
    assert_int_equal(gemm_cpu_order.units(&args), 128); /* by rows: 8 each */
    assert_int_equal(gemm_cpu_tiles.units(&args), 16);  /* 64 each */
    args.m = 1;
    assert_int_equal(gemm_cpu_naive.units(&args), 1);
}

static void traffic_is_what_each_rungs_comment_says(void **state)
{
    struct gemm_args args = {.type = GEMM_F32, .m = 10, .n = 1000, .k = 100, .batch = 1};
    struct kernel_traffic traffic;
    (void)state;
    assert_true(gemm_cpu_naive.traffic(&args, &traffic));
    assert_true(traffic.bytes == 64.0 * 1e6 && traffic.set_bytes == 6400);
    args.n = 1024; /* rows 4096 bytes apart: no line of a column stays */
    assert_true(gemm_cpu_naive.traffic(&args, &traffic));
    assert_true(traffic.set_bytes == 409600);
    args.n = 16;
    assert_true(gemm_cpu_naive.traffic(&args, &traffic));
    assert_true(traffic.bytes == 4.0 * 16000 && traffic.set_bytes == 6400);
    args.n = 1000;
    args.type = GEMM_INT8;
    assert_true(gemm_cpu_order.traffic(&args, &traffic));
    assert_true(traffic.bytes == 1e6 && traffic.set_bytes == 1e5);
    assert_true(gemm_cpu_tiles.traffic(&args, &traffic));
    assert_true(traffic.bytes == 2e6 && traffic.set_bytes == 16384 + 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naive_is_right_for_every_type_and_shape_unit_by_unit),
        cmocka_unit_test(order_is_right_for_every_set_type_and_shape_unit_by_unit),
        cmocka_unit_test(tiles_are_right_for_every_set_type_and_shape_unit_by_unit),
        cmocka_unit_test(more_threads_than_rows_compute_each_element_once),
        cmocka_unit_test(slabs_are_small_enough_to_time_and_have_rows_for_each_thread),
        cmocka_unit_test(traffic_is_what_each_rungs_comment_says),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
