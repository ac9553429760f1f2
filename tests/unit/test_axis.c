/* Every form in which a value of an axis can be written, and the sentences about all others. */
#include "harness/base/units.h"
#include "harness/measure/axis.h"
#include "tests/unit/sentence.h"

#include <stdio.h>

enum { THREADS = 6 };

static const char *const colours[] = {"red", "green", "blue", NULL};
static const struct axis colour = {.name = "colour", .kind = AXIS_CHOICE, .choices = colours};
static const struct axis count = {.name = "count", .kind = AXIS_COUNT};
static const struct axis size = {.name = "size", .kind = AXIS_BYTES};
static const struct axis shape = {.name = "shape", .kind = AXIS_SHAPE};
static const struct axis threads = {.name = "threads", .kind = AXIS_THREADS};

/* L1 32 KiB, L2 1 MiB + 64, L3 32 MiB; 6 threads. */
static const struct levels caches = {.count = 3,
                                     .level = {{.name = "L1", .capacity_bytes = 32768},
                                               {.name = "L2", .capacity_bytes = 1048640},
                                               {.name = "L3", .capacity_bytes = 33554432}}};
static const struct axis_context here = {.levels = &caches, .thread_count = THREADS};

static void check_values(const struct axis *axis, const char *text, const int64_t *expected,
                         size_t expected_count)
{
    struct axis_values values;
    assert_int_equal(axis_parse(axis, &here, text, &values), STATUS_OK);
    if (values.count != expected_count)
        fail_msg("%s gives %zu values, not %zu", text, values.count, expected_count);
    for (size_t i = 0; i < expected_count; i++)
        if (values.value[i] != expected[i])
            fail_msg("%s: value %zu is %lld, not %lld", text, i, (long long)values.value[i],
                     (long long)expected[i]);
}

#define CHECK_VALUES(axis, text, ...)                                                              \
    check_values((axis), (text), (const int64_t[]){__VA_ARGS__},                                   \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* The sentence has to name the word and the axis. */
static void check_refused(const struct axis *axis, const char *text, const char *word)
{
    struct axis_values values;
    enum status status = axis_parse(axis, &here, text, &values);
    sentence_check(status, STATUS_BAD_ARGUMENT, axis->name);
    sentence_check(status, STATUS_BAD_ARGUMENT, word);
}

static void names_become_their_places_in_the_list(void **state)
{
    (void)state;
    CHECK_VALUES(&colour, "blue,red", 2, 0);
    CHECK_VALUES(&colour, "green", 1);
}

static void numbers_have_binary_suffixes_where_they_are_bytes(void **state)
{
    (void)state;
    CHECK_VALUES(&count, "1,17,4096", 1, 17, 4096);
    CHECK_VALUES(&size, "4096,64Ki,1.5Mi,2Gi,1Ti", 4096, 65536, 1572864, GIB(2), GIB(1024));
    CHECK_VALUES(&size, "0.5Ki,1.0", 512, 1);
}

static void shapes_are_three_sides_or_one_of_a_cube(void **state)
{
    (void)state;
    char buffer[64];
    const int64_t most = AXIS_SHAPE_MOST;
    CHECK_VALUES(&shape, "64,1x4096x4096", axis_shape(64, 64, 64), axis_shape(1, 4096, 4096));
    CHECK_VALUES(&shape, "128..512*2", axis_shape(128, 128, 128), axis_shape(256, 256, 256),
                 axis_shape(512, 512, 512));
    CHECK_VALUES(&shape, "2097151x1x2097151", axis_shape(most, 1, most));
    assert_int_equal(axis_shape_m(axis_shape(7, 11, 13)), 7);
    assert_int_equal(axis_shape_n(axis_shape(7, 11, 13)), 11);
    assert_int_equal(axis_shape_k(axis_shape(most, 11, 13)), 13);
    assert_int_equal(axis_shape_m(axis_shape(most, most, most)), most);
    assert_string_equal(axis_label(&shape, axis_shape(7, 11, 13), buffer, sizeof(buffer)),
                        "7x11x13");
    check_refused(&shape, "7x11", "7x11");
    check_refused(&shape, "7x11x", "7x11x");
    check_refused(&shape, "7x11x13x17", "7x11x13x17");
    check_refused(&shape, "0x1x1", "0x1x1");
    check_refused(&shape, "-1", "-1");
    check_refused(&shape, "64Ki", "64Ki");
    check_refused(&shape, "2097152", "2097151");
    check_refused(&shape, "1048576..2097152*2", "2^21");
}

static void levels_mean_their_capacity_in_whole_cache_lines(void **state)
{
    (void)state;
    CHECK_VALUES(&size, "L1,L2,L3,LLC", 32768, 1048640, 33554432);
    CHECK_VALUES(&size, "0.5L1,4LLC", 16384, INT64_C(134217728));
    CHECK_VALUES(&size, "0.5L2", 524288);  /* 524320 is 8192 lines and a half */
    CHECK_VALUES(&size, "0.01L1", 5 * 64); /* 327.68 */
}

static void threads_are_numbers_or_all(void **state)
{
    (void)state;
    CHECK_VALUES(&threads, "1,all", 1, THREADS);
    CHECK_VALUES(&threads, "all,6,2", THREADS, 2);
}

static void a_range_ends_with_the_first_value_that_reaches_the_last(void **state)
{
    (void)state;
    CHECK_VALUES(&count, "1..8*2", 1, 2, 4, 8);
    CHECK_VALUES(&count, "1..9*2", 1, 2, 4, 8, 16);
    CHECK_VALUES(&count, "3..10*1.5", 3, 5, 7, 10);
    CHECK_VALUES(&count, "7..7*2", 7);
    CHECK_VALUES(&size, "4Ki..L1*4", 4096, 16384, 65536);
    CHECK_VALUES(&size, "64,1Ki..4Ki*2,5", 64, 1024, 2048, 4096, 5);
}

static void a_range_of_threads_never_passes_all(void **state)
{
    (void)state;
    CHECK_VALUES(&threads, "1..all*2", 1, 2, 4, THREADS);
    CHECK_VALUES(&threads, "1..4*2", 1, 2, 4);
    CHECK_VALUES(&threads, "1..5*2", 1, 2, 4, 5);
}

static void values_given_twice_are_dropped_and_the_order_is_kept(void **state)
{
    (void)state;
    CHECK_VALUES(&count, "4,2,4,1..4*2,2", 4, 2, 1);
    CHECK_VALUES(&size, "L1,32Ki,32768,1", 32768, 1);
    CHECK_VALUES(&colour, "red,red,blue,red", 0, 2);
}

static void large_numbers_stay_exact(void **state)
{
    (void)state;
    CHECK_VALUES(&count, "2147483649", INT64_C(2147483649));
    CHECK_VALUES(&size, "2147483649,4294967297,9007199254740991", INT64_C(2147483649),
                 INT64_C(4294967297), INT64_C(9007199254740991));
    CHECK_VALUES(&size, "4611686018427387904", INT64_C(1) << 62);
}

static void what_is_beyond_2_to_the_62_is_refused(void **state)
{
    (void)state;
    check_refused(&count, "4611686018427389000", "'4611686018427389000' must be");
    check_refused(&size, "8388608Ti", "'8388608Ti' must be");
    check_refused(&size, "999999999999LLC", "'999999999999LLC' must be");
    check_refused(&size, "99999999999999999999999999999999", "2^62");
    check_refused(&count, "1..4611686018427387904*1000000", "passes 2^62");
}

static void what_is_no_whole_positive_number_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"0", "0.5", "2.5", "0Ki", "0.00001L1"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char quoted[32];
        snprintf(quoted, sizeof(quoted), "'%s' must be a whole number", words[i]);
        check_refused(&size, words[i], quoted);
    }
    check_refused(&count, "2.5", "'2.5'");
}

static void what_is_no_number_is_refused_with_what_would_be_right(void **state)
{
    (void)state;
    static const char *const words[] = {"x",   "-1",    "+1",  "1e3",  "0x10", "4KiB", "4ki",
                                        "4K",  "inf",   "nan", " 1",   "1 ",   "L4",   "L",
                                        "L1L", "1,5Xi", ".",   "1..5", "..*2", "all",  "1.2.3"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        check_refused(&size, words[i], "");
    check_refused(&size, "4KB", "'4KB' is not a number of bytes such as 4096, 64Ki");
    check_refused(&count, "4Ki", "'4Ki' is not a whole number");
    check_refused(&count, "L1", "'L1' is not a whole number");
    check_refused(&threads, "some", "'some' is not a number of threads, or all");
}

static void a_level_that_this_machine_lacks_is_refused(void **state)
{
    (void)state;
    struct axis_values values;
    static const struct levels none = {0};
    const struct axis_context bare = {.levels = &none, .thread_count = 1};
    const struct axis_context blind = {.levels = NULL, .thread_count = 1};
    check_refused(&size, "0.5L4", "'0.5L4'");
    sentence_check(axis_parse(&size, &bare, "LLC", &values), STATUS_BAD_ARGUMENT, "'LLC'");
    sentence_check(axis_parse(&size, &blind, "L1", &values), STATUS_BAD_ARGUMENT, "'L1'");
}

static void an_unknown_name_is_refused_with_the_known_ones(void **state)
{
    (void)state;
    check_refused(&colour, "red,yellow", "'yellow' is no value of axis colour");
    check_refused(&colour, "Red", "red, green, blue");
    check_refused(&colour, "red..blue*2", "'red..blue*2'");
}

static void more_threads_than_can_be_used_are_refused(void **state)
{
    (void)state;
    check_refused(&threads, "7", "threads=7, but only 6 can be used here");
    check_refused(&threads, "1..7*2", "only 6");
    check_refused(&threads, "0", "'0' must be");
}

static void a_range_that_cannot_be_walked_is_refused(void **state)
{
    (void)state;
    check_refused(&count, "1..8", "'1..8' lacks its factor");
    check_refused(&count, "1..8*1", "'1' must be a number from 1.01 to 1e6");
    check_refused(&count, "1..8*0.5", "'0.5'");
    check_refused(&count, "1..8*-2", "'-2'");
    check_refused(&count, "1..8*nan", "'nan'");
    check_refused(&count, "1..8*2x", "'2x'");
    check_refused(&count, "8..1*2", "ends at 1, below its start 8");
    check_refused(&count, "1..x*2", "'x'");
    check_refused(&count, "x..8*2", "'x'");
}

static void too_many_values_are_refused(void **state)
{
    (void)state;
    char text[2048] = "1";
    size_t used = 1;
    check_refused(&count, "1..1000000*1.01", "over 128 values");
    for (int i = 2; used + 8 < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, ",%d", i);
    check_refused(&count, text, "characters");
}

static void no_value_at_all_is_refused(void **state)
{
    (void)state;
    check_refused(&count, "", "no value");
    check_refused(&colour, ",,", "no value");
}

static void a_value_is_labelled_with_its_name_or_its_number(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(axis_label(&colour, 2, text, sizeof(text)), "blue");
    assert_string_equal(axis_label(&size, INT64_C(2147483649), text, sizeof(text)), "2147483649");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_their_places_in_the_list),
        cmocka_unit_test(numbers_have_binary_suffixes_where_they_are_bytes),
        cmocka_unit_test(shapes_are_three_sides_or_one_of_a_cube),
        cmocka_unit_test(levels_mean_their_capacity_in_whole_cache_lines),
        cmocka_unit_test(threads_are_numbers_or_all),
        cmocka_unit_test(a_range_ends_with_the_first_value_that_reaches_the_last),
        cmocka_unit_test(a_range_of_threads_never_passes_all),
        cmocka_unit_test(values_given_twice_are_dropped_and_the_order_is_kept),
        cmocka_unit_test(large_numbers_stay_exact),
        cmocka_unit_test(what_is_beyond_2_to_the_62_is_refused),
        cmocka_unit_test(what_is_no_whole_positive_number_is_refused),
        cmocka_unit_test(what_is_no_number_is_refused_with_what_would_be_right),
        cmocka_unit_test(a_level_that_this_machine_lacks_is_refused),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_known_ones),
        cmocka_unit_test(more_threads_than_can_be_used_are_refused),
        cmocka_unit_test(a_range_that_cannot_be_walked_is_refused),
        cmocka_unit_test(too_many_values_are_refused),
        cmocka_unit_test(no_value_at_all_is_refused),
        cmocka_unit_test(a_value_is_labelled_with_its_name_or_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
