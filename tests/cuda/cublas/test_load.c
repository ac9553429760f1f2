/* Opening a library of NVIDIA's: what is told where there is none, and what a library answers. */
#include "kernels/blas/cublas.h"
#include "tests/unit/sentence.h"

#include <stdlib.h>

struct table {
    double (*root)(double);
};

static const struct cublas_symbol symbols[] = {{"sqrt", offsetof(struct table, root)}, {NULL, 0}};

static void absent_libraries_are_told_with_a_remedy(void **state)
{
    struct table table = {NULL};
    (void)state;
    sentence_check(cublas_load("cuNothing", "libridge_nothing", symbols, &table), STATUS_SKIP,
                   "no cuNothing on this machine: install CUDA's libraries, or put the folder that "
                   "holds libridge_nothing into LD_LIBRARY_PATH");
    assert_null(table.root);
}

/* Not by the loader's rules, but where CUDA_HOME says: the fakes as a toolkit would have them. */
static void a_toolkit_that_the_loader_does_not_know_is_found(void **state)
{
    static const struct cublas_symbol one[] = {{"ridge_nothing", 0}, {NULL, 0}};
    struct table table = {NULL};
    (void)state;
    assert_int_equal(setenv("CUDA_HOME", TOOLKIT "/lib64", 1), 0);
    assert_int_equal(cublas_load("cuRidge", "libcuridge", one, &table), STATUS_SKIP);
    assert_int_equal(setenv("CUDA_HOME", TOOLKIT, 1), 0);
    assert_int_equal(cublas_load("cuRidge", "libcuridge", one, &table), STATUS_OK);
    assert_non_null(table.root);
    assert_int_equal(unsetenv("CUDA_HOME"), 0);
}

static const char *word_of(cublasStatus_t code)
{
    (void)code;
    return "word";
}

static void refusals_and_failures_differ(void **state)
{
    const struct cublas_head head = {.status_text = word_of};
    (void)state;
    assert_int_equal(cublas_check(&head, CUBLAS_STATUS_SUCCESS, "call", "cuda:0"), STATUS_OK);
    sentence_check(cublas_check(&head, CUBLAS_STATUS_NOT_SUPPORTED, "call", "cuda:1"), STATUS_SKIP,
                   "call on cuda:1: word (15): this library does not offer it here");
    sentence_check(cublas_check(&head, CUBLAS_STATUS_EXECUTION_FAILED, "call", "cuda:1"),
                   STATUS_DEVICE, "call on cuda:1: word (13)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_libraries_are_told_with_a_remedy),
        cmocka_unit_test(a_toolkit_that_the_loader_does_not_know_is_found),
        cmocka_unit_test(refusals_and_failures_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
