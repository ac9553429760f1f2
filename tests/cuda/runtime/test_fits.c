/* Which GPUs a build's machine code and PTX run on. */
#include "harness/measure/device_cuda_internal.h"
#include "tests/unit/sentence.h"
#include "tests/unit/test.h"

static void machine_code_runs_within_its_major_number_and_upwards(void **state)
{
    (void)state;
    assert_int_equal(device_cuda_fits("80-real", 80), STATUS_OK);
    assert_int_equal(device_cuda_fits("80-real", 86), STATUS_OK);
    assert_int_equal(device_cuda_fits("86-real", 80), STATUS_SKIP);
    assert_int_equal(device_cuda_fits("80-real", 90), STATUS_SKIP);
    assert_int_equal(device_cuda_fits("100-real", 103), STATUS_OK);
    assert_int_equal(device_cuda_fits("100-real", 110), STATUS_SKIP);
}

static void ptx_runs_on_everything_newer(void **state)
{
    (void)state;
    assert_int_equal(device_cuda_fits("80-virtual", 90), STATUS_OK);
    assert_int_equal(device_cuda_fits("80-virtual", 75), STATUS_SKIP);
    assert_int_equal(device_cuda_fits("80", 120), STATUS_OK);
    assert_int_equal(device_cuda_fits("75-real 120", 121), STATUS_OK);
}

static void code_for_one_chip_alone_runs_on_no_other(void **state)
{
    (void)state;
    assert_int_equal(device_cuda_fits("90a-real", 90), STATUS_OK);
    assert_int_equal(device_cuda_fits("90a", 100), STATUS_SKIP);
    assert_int_equal(device_cuda_fits("100a", 103), STATUS_SKIP);
}

static void the_sentence_lists_what_was_built_and_says_what_to_build(void **state)
{
    (void)state;
    sentence_check(device_cuda_fits("80-real 86-real 90", 75), STATUS_SKIP,
                   "built for 80 86 90, this GPU is 7.5; build with -D "
                   "CMAKE_CUDA_ARCHITECTURES=75");
    sentence_check(device_cuda_fits("80-real 86-real 90-real", 120), STATUS_SKIP,
                   "this GPU is 12.0; build with -D CMAKE_CUDA_ARCHITECTURES=120");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_runs_within_its_major_number_and_upwards),
        cmocka_unit_test(ptx_runs_on_everything_newer),
        cmocka_unit_test(code_for_one_chip_alone_runs_on_no_other),
        cmocka_unit_test(the_sentence_lists_what_was_built_and_says_what_to_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
