/* The answers of the BLAS libraries that are installed: with our calls' arguments in another order,
 * or another number of threads, they would be wrong. Apart from test_gemm_ladder, since the thread
 * sanitizer sees these libraries' memory and not how their threads wait for one another. */
#include "kernels/blas/blas.h"
#include "tests/unit/gemm_check.h"

static void check_peer(struct device *device, const struct kernel *kernel)
{
    const struct gemm_args args = {.type = GEMM_F32, .m = 1, .n = 1, .k = 1, .batch = 1};
    char text[160];
    if (kernel->supports(&args) != STATUS_OK) {
        assert_non_null(strstr(error_message(), "apt-get install"));
        skip();
    }
    assert_true(kernel->is_peer);
    check_kernel(device, kernel, GEMM_BF16);
    kernel->describe(&args, 2, text, sizeof(text));
    assert_non_null(strstr(text, ", core "));
}

static void openblas_is_right_for_every_shape(void **state)
{
    check_peer(*state, &gemm_cpu_openblas);
}

static void blis_is_right_for_every_shape(void **state)
{
    check_peer(*state, &gemm_cpu_blis);
}

static void the_same_file_given_by_path_is_the_same_library(void **state)
{
    struct blas *openblas, *given;
    (void)state;
    if (blas_open(BLAS_OPENBLAS, &openblas) != STATUS_OK)
        skip();
    assert_int_equal(blas_open_path(openblas->path), STATUS_OK);
    assert_int_equal(blas_open(BLAS_GIVEN, &given), STATUS_OK);
    assert_ptr_equal(openblas, given); /* or each would have its own idea of its threads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openblas_is_right_for_every_shape),
        cmocka_unit_test(blis_is_right_for_every_shape),
        cmocka_unit_test(the_same_file_given_by_path_is_the_same_library),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
