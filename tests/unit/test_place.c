/* Which level of the memory hierarchy a point is said to lie in. */
#include "harness/model/place.h"
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

static void check_place(const struct levels *levels, double working_set_bytes, int threads,
                        const char *expected)
{
    struct record point = {.threads = threads, .working_set_bytes = working_set_bytes};
    strcpy(point.params, "{\"op\":\"read\"}");
    const char *place = place_of(&point, levels);
    if (strcmp(place, expected) != 0)
        fail_msg("%g bytes on %d threads are in '%s', not '%s'", working_set_bytes, threads, place,
                 expected);
}

static void a_working_set_is_placed_only_where_it_clearly_lies(void **state)
{
    const struct run *run = *state;
    struct levels levels;
    const double l1 = 32768, l2 = 1048576, l3 = 33554432;
    place_levels(run->meta_json, &levels);
    assert_int_equal(levels.count, 3);
    check_place(&levels, 4096, 1, "L1");
    check_place(&levels, 0.75 * l1, 1, "L1");
    check_place(&levels, 0.75 * l1 + 64, 1, "");
    check_place(&levels, 1.5 * l1 - 64, 1, "");
    check_place(&levels, 1.5 * l1, 1, "L2");
    check_place(&levels, 0.75 * l2, 1, "L2");
    check_place(&levels, 0.75 * l2 + 64, 1, "");
    check_place(&levels, 1.5 * l2, 1, "L3");
    check_place(&levels, 0.59 * l3, 1, "L3");
    check_place(&levels, 0.61 * l3, 1, "");
    check_place(&levels, 4 * l3 - 64, 1, "");
    check_place(&levels, 4 * l3, 1, "memory");
}

/* Private caches hold each thread's part, the shared one all parts together. */
static void threads_divide_the_private_caches_but_not_the_shared_one(void **state)
{
    const struct run *run = *state;
    struct levels levels;
    place_levels(run->meta_json, &levels);
    check_place(&levels, 40000, 2, "L1");
    check_place(&levels, 40000, 1, "");
    check_place(&levels, 1 << 20, 4, "L2");
    check_place(&levels, 18 << 20, 4, "L3");
    check_place(&levels, 80 << 20, 4, "");
    check_place(&levels, 128 << 20, 64, "memory");
}

static void a_point_that_names_its_level_is_believed(void **state)
{
    const struct run *run = *state;
    struct levels levels;
    struct record point = {.threads = 1, .working_set_bytes = 64};
    place_levels(run->meta_json, &levels);
    strcpy(point.params, "{\"level\":\"L3\"}");
    assert_string_equal(place_of(&point, &levels), "L3");
    strcpy(point.params, "{\"level\":\"memory\"}");
    assert_string_equal(place_of(&point, &levels), "memory");
    strcpy(point.params, "{\"level\":\"L4\"}");
    assert_string_equal(place_of(&point, &levels), "");
}

static void levels_that_the_run_does_not_tell_are_none(void **state)
{
    static const char *const metas[] = {"{}", "", "{\"child_arguments\":[\"--levels\"]}",
                                        "{\"child_arguments\":[\"--levels\",\"large ones\"]}",
                                        "{\"child_arguments\":[1,2]}"};
    struct levels levels;
    (void)state;
    for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
        place_levels(metas[i], &levels);
        assert_int_equal(levels.count, 0);
        check_place(&levels, 4096, 1, "");
    }
    place_levels(NULL, &levels);
    assert_int_equal(levels.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_working_set_is_placed_only_where_it_clearly_lies),
        TEST(threads_divide_the_private_caches_but_not_the_shared_one),
        TEST(a_point_that_names_its_level_is_believed),
        TEST(levels_that_the_run_does_not_tell_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
