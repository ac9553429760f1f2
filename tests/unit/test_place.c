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

static void check_place(const struct level_map *map, double working_set_bytes, int threads,
                        const char *expected)
{
    struct record point = {
        .device = "cpu", .threads = threads, .working_set_bytes = working_set_bytes};
    strcpy(point.params, "{\"op\":\"read\"}");
    const char *place = place_of(&point, map);
    if (strcmp(place, expected) != 0)
        fail_msg("%g bytes on %d threads are in '%s', not '%s'", working_set_bytes, threads, place,
                 expected);
}

static void a_working_set_is_placed_only_where_it_clearly_lies(void **state)
{
    const struct run *run = *state;
    struct level_map map;
    const double l1 = 32768, l2 = 1048576, l3 = 33554432;
    level_map_of(run, &map);
    assert_int_equal(map.cpu.count, 3);
    check_place(&map, 4096, 1, "L1");
    check_place(&map, 0.75 * l1, 1, "L1");
    check_place(&map, 0.75 * l1 + 64, 1, "");
    check_place(&map, 1.5 * l1 - 64, 1, "");
    check_place(&map, 1.5 * l1, 1, "L2");
    check_place(&map, 0.75 * l2, 1, "L2");
    check_place(&map, 0.75 * l2 + 64, 1, "");
    check_place(&map, 1.5 * l2, 1, "L3");
    check_place(&map, 0.59 * l3, 1, "L3");
    check_place(&map, 0.61 * l3, 1, "");
    check_place(&map, 4 * l3 - 64, 1, "");
    check_place(&map, 4 * l3, 1, "memory");
}

/* Private caches hold each thread's part, the shared one all parts together. */
static void threads_divide_the_private_caches_but_not_the_shared_one(void **state)
{
    const struct run *run = *state;
    struct level_map map;
    level_map_of(run, &map);
    check_place(&map, 40000, 2, "L1");
    check_place(&map, 40000, 1, "");
    check_place(&map, 1 << 20, 4, "L2");
    check_place(&map, 18 << 20, 4, "L3");
    check_place(&map, 80 << 20, 4, "");
    check_place(&map, 128 << 20, 64, "memory");
}

static void a_point_that_names_its_level_is_believed(void **state)
{
    const struct run *run = *state;
    struct level_map map;
    struct record point = {.threads = 1, .working_set_bytes = 64};
    level_map_of(run, &map);
    strcpy(point.params, "{\"level\":\"L3\"}");
    assert_string_equal(place_of(&point, &map), "L3");
    strcpy(point.params, "{\"level\":\"memory\"}");
    assert_string_equal(place_of(&point, &map), "memory");
    strcpy(point.params, "{\"level\":\"L4\"}");
    assert_string_equal(place_of(&point, &map), "");
}

static void levels_that_the_run_does_not_tell_are_none(void **state)
{
    static const char *const metas[] = {"{}", "", "{\"child_arguments\":[\"--levels\"]}",
                                        "{\"child_arguments\":[\"--levels\",\"large ones\"]}",
                                        "{\"child_arguments\":[1,2]}"};
    struct level_map map;
    (void)state;
    for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
        struct run run = {.meta_json = (char *)metas[i]};
        level_map_of(&run, &map);
        assert_int_equal(map.cpu.count, 0);
        check_place(&map, 4096, 1, "");
    }
    struct run none = {0};
    level_map_of(&none, &map);
    assert_int_equal(map.cpu.count, 0);
}

/* 1 MiB is L2 for the processor, and L1 for the GPU, whose multiprocessors have 4 MiB of it. */
static void each_device_has_levels_of_its_own(void **state)
{
    struct run *run = *state;
    struct level_map map;
    struct record point = {.device = "cuda:1", .threads = 1, .working_set_bytes = 600 << 10};
    free(run->machine_json);
    run->machine_json =
        strdup("{\"devices\":[{\"device\":\"cuda:0\",\"levels\":\"L1=4096,L2=65536*\"},"
               "{\"device\":\"cuda:1\",\"levels\":\"L1=4194304,L2=52428800*\"},{\"levels\":1}]}");
    level_map_of(run, &map);
    assert_int_equal(map.count, 2);
    strcpy(point.params, "{\"op\":\"read\"}");
    assert_string_equal(place_of(&point, &map), "L1");
    strcpy(point.device, "cuda:0");
    assert_string_equal(place_of(&point, &map), "memory");
    strcpy(point.device, "cpu");
    assert_string_equal(place_of(&point, &map), "L2");
    strcpy(point.device, "fake"); /* runs on the cpu */
    assert_string_equal(place_of(&point, &map), "L2");
    strcpy(point.device, "cuda:2"); /* not described: the cpu's would be wrong */
    assert_string_equal(place_of(&point, &map), "");
}

static void shared_memory_is_a_level_of_its_own(void **state)
{
    struct level_map map;
    struct record point = {.device = "cuda:0", .threads = 1, .working_set_bytes = 600 << 10};
    level_map_of(*state, &map);
    strcpy(point.params, "{\"level\":\"shared\"}");
    assert_string_equal(place_of(&point, &map), "shared");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_working_set_is_placed_only_where_it_clearly_lies),
        TEST(threads_divide_the_private_caches_but_not_the_shared_one),
        TEST(a_point_that_names_its_level_is_believed),
        TEST(levels_that_the_run_does_not_tell_are_none),
        TEST(each_device_has_levels_of_its_own),
        TEST(shared_memory_is_a_level_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
