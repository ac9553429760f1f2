/* The staircase: steps in order of size, each with its level, of the longest sweep that is asked.
 */
#include "harness/show/show.h"
#include "tests/unit/sentence.h"
#include "tests/unit/synthetic_run.h"

static char *draw(const struct run *run, const struct show_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(show_staircase(run, options, file), STATUS_OK);
    fclose(file);
    return text;
}

/* Sizes out of order, a shorter sweep of another operation, and one of another thread count. */
static int open_run(void **state)
{
    static struct run run;
    synthetic_begin(&run);
    synthetic_stream(&run, "add", 3, 1, 100 << 20, 2, 4e9);
    synthetic_stream(&run, "add", 3, 1, 4 << 10, 2, 200e9);
    synthetic_stream(&run, "add", 3, 1, 200 << 10, 2, 100e9);
    synthetic_stream(&run, "copy", 2, 0, 4 << 10, 2, 300e9);
    synthetic_stream(&run, "copy", 2, 0, 200 << 10, 2, 150e9);
    synthetic_stream(&run, "add", 3, 1, 4 << 10, 1, 111e9);
    synthetic_stream(&run, "add", 3, 1, 200 << 10, 1, 55e9);
    *state = &run;
    return 0;
}

static int close_run(void **state)
{
    run_clear(*state);
    return 0;
}

static void the_longest_sweep_is_drawn_in_order_of_size_with_its_levels(void **state)
{
    const struct show_options options = {.format = GRID_TEXT};
    char *text = draw(*state, &options);
    static const char *const in_order[] = {"Staircase: add plain f64, 2 threads",
                                           "12 KiB L1",
                                           "200 GB/s",
                                           "600 KiB L2",
                                           "100 GB/s",
                                           "300 MiB memory",
                                           "4.00 GB/s"};
    size_t at = 0;
    for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
        while (text[at] && strncmp(text + at, in_order[i], strlen(in_order[i])) != 0)
            at++;
        if (!text[at])
            fail_msg("\"%s\" is missing, or out of order, in\n%s", in_order[i], text);
    }
    assert_null(strstr(text, "300 GB/s"));
    free(text);
}

static void the_thread_count_that_is_asked_for_is_drawn(void **state)
{
    const struct show_options options = {.format = GRID_CSV, .threads = 1};
    char *text = draw(*state, &options);
    assert_non_null(strstr(text, "\"add plain\",\"f64\",\"cpu\",1,1.11e+11"));
    assert_null(strstr(text, "2e+11"));
    free(text);
}

static void a_run_without_a_sweep_is_told_so(void **state)
{
    const struct show_options options = {.format = GRID_TEXT, .threads = 7};
    sentence_check(show_staircase(*state, &options, stdout), STATUS_BAD_ARGUMENT,
                   "no size sweep in this run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_sweep_is_drawn_in_order_of_size_with_its_levels),
        cmocka_unit_test(the_thread_count_that_is_asked_for_is_drawn),
        cmocka_unit_test(a_run_without_a_sweep_is_told_so),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
