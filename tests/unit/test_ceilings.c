/* The roofs that the model finds in a run whose roofs are known, and where it puts a point. */
#include "harness/model/ceilings.h"
#include "harness/model/place.h"
#include "harness/model/summary.h"
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

/* The ceiling with that level, mix and threads, or NULL. Level "" is compute. */
static const struct ceiling *find(const struct ceilings *ceilings, const char *level,
                                  const char *mix, int threads)
{
    for (size_t i = 0; i < ceilings->count; i++) {
        const struct ceiling *c = &ceilings->list[i];
        if (strcmp(c->level, level) == 0 && strcmp(c->mix, mix) == 0 && c->threads == threads)
            return c;
    }
    return NULL;
}

static void check_ceiling(const struct ceiling *c, enum ceiling_kind kind, double plateau,
                          size_t points)
{
    assert_non_null(c);
    assert_int_equal(c->kind, kind);
    if (fabs(c->plateau / plateau - 1) > 1e-9 || c->points != points)
        fail_msg("%s %s: %g of %zu points, not %g of %zu", c->level, c->mix, c->plateau, c->points,
                 plateau, points);
    assert_string_equal(c->dtype, "f64");
}

/* ---- Roofs. */

/* Of one thread the ridges are at 1/2, 1, 4 and 16 op/B, and m is 4 times the intensity. In L1 and
 * L2 the ladder begins too near its ridge to tell of the bandwidth, and as it shows but 3/4 of it
 * there, the ridge is taken for 2/3 and 4/3. So 8 times the ridge is reached from m = 32, 64, 128
 * and 512 on, with 8 + 7 + 6 + 4 points, and an eighth of it up to m = 2 in L3 and m = 8 in memory.
 * For two threads the memory's ridge lies twice as high: 3 points instead of 4, and 5 up to m = 16.
 */
static void the_roofs_of_a_known_machine_are_found(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    run_clear(run);
    synthetic_run(run);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    for (int threads = 1; threads <= 2; threads++) {
        check_ceiling(find(&found, "", "fma", threads), CEILING_COMPUTE, threads * 0x1p36,
                      threads == 1 ? 25 : 24);
        check_ceiling(find(&found, "L3", "read ladder", threads), CEILING_BANDWIDTH,
                      threads * 0x1p34, 2);
        assert_null(find(&found, "L1", "read ladder", threads));
        assert_null(find(&found, "L2", "read ladder", threads));
    }
    check_ceiling(find(&found, "memory", "read ladder", 1), CEILING_BANDWIDTH, 0x1p32, 4);
    check_ceiling(find(&found, "memory", "read ladder", 2), CEILING_BANDWIDTH, 0x1p32, 5);
    for (int level = 0; level < 4; level++)
        check_ceiling(find(&found, synthetic_levels[level], "read", 1), CEILING_BANDWIDTH,
                      synthetic_bytes_per_s[level], 1);
    assert_int_equal(found.count, 2 + 2 + 2 + 4);
    assert_int_equal(found.list[0].kind, CEILING_COMPUTE);
    assert_int_equal(found.list[1].kind, CEILING_COMPUTE);
    ceilings_clear(&found);
}

static void the_plateau_is_the_median_and_the_maximum_the_best(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    static const double rates[] = {1e9, 4e9, 2e9, 3e9, 1.5e9};
    for (int i = 0; i < 5; i++)
        synthetic_stream(run, "triad", 3, 2, (256 << 20) * (1 + i / 8.0), 1, rates[i]);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    assert_int_equal(found.count, 1);
    check_ceiling(find(&found, "memory", "triad plain", 1), CEILING_BANDWIDTH, 2e9, 5);
    assert_true(fabs(found.list[0].maximum / 4e9 - 1) < 1e-9);
    ceilings_clear(&found);
}

/* Each kind of access has its own ceiling; the read bandwidth is the best of the reads. */
static void accesses_are_kept_apart_and_the_best_read_is_the_bandwidth(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    synthetic_stream(run, "copy", 2, 0, 256 << 20, 1, 9e9);
    synthetic_stream(run, "read", 1, 1, 256 << 20, 1, 5e9);
    for (int fmas = 1; fmas <= 4096; fmas *= 2)
        synthetic_ladder(run, 3, 1, fmas);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    check_ceiling(find(&found, "memory", "copy plain", 1), CEILING_BANDWIDTH, 9e9, 1);
    check_ceiling(ceilings_bandwidth(&found, "memory", "f64", 1), CEILING_BANDWIDTH, 5e9, 1);
    check_ceiling(ceilings_compute(&found, "f64", 1), CEILING_COMPUTE, 0x1p36, 4);
    assert_null(ceilings_bandwidth(&found, "memory", "f32", 1));
    assert_null(ceilings_bandwidth(&found, "memory", "f64", 2));
    assert_null(ceilings_bandwidth(&found, "L1", "f64", 1));
    assert_null(ceilings_compute(&found, "f32", 1));
    assert_null(ceilings_compute(&found, "f64", 2));
    ceilings_clear(&found);
}

static void controls_and_points_that_are_not_ok_are_left_out(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    struct record control = {.threads = 1, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(control.bench, "bench_vector_add");
    strcpy(control.dtype, "f64");
    strcpy(control.params, "{\"op\":\"read\",\"beside\":\"bench_intensity\"}");
    synthetic_add(run, &control, 1e-6, 0);
    synthetic_stream(run, "read", 1, 1, 256 << 20, 1, 5e9)->status = RECORD_wrong;
    synthetic_stream(run, "add", 3, 1, 256 << 20, 1, 5e9)->status = RECORD_failed;
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    assert_int_equal(found.count, 0);
    ceilings_clear(&found);
}

static void points_between_two_levels_belong_to_no_ceiling(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    synthetic_stream(run, "read", 1, 1, 40000, 1, 5e9);
    synthetic_stream(run, "read", 1, 1, 64 << 20, 1, 5e9);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    assert_int_equal(found.count, 0);
    ceilings_clear(&found);
}

static void without_levels_nothing_is_a_ceiling_of_a_cache(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    free(run->meta_json);
    run->meta_json = strdup("{}");
    synthetic_stream(run, "read", 1, 1, 16 << 10, 1, 5e9);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    assert_int_equal(found.count, 0);
    ceilings_clear(&found);
}

static void a_ceiling_has_the_interval_of_its_median_point_and_the_flags_of_all(void **state)
{
    struct run *run = *state;
    struct ceilings found;
    struct summary summary;
    static const double seconds[] = {0.5e-3, 1e-3, 2e-3}, spread[] = {0.01, 0.2, 0.02};
    static const uint32_t flags[] = {FLAG_foreign_load, 0, FLAG_virtual_machine};
    struct record shape = {.threads = 1, .bytes = 1e6, .working_set_bytes = 1e9};
    strcpy(shape.bench, "bench_vector_add");
    strcpy(shape.dtype, "f64");
    for (int i = 0; i < 3; i++) {
        snprintf(shape.params, sizeof(shape.params), "{\"op\":\"read\",\"array_bytes\":%d}", i);
        shape.flags = flags[i];
        synthetic_add(run, &shape, seconds[i], spread[i]);
    }
    assert_int_equal(summary_of(&run->points[1], &summary), STATUS_OK);
    double width = summary_half_width(&summary);
    assert_true(width > 0.02 && width < 0.2);
    assert_int_equal(ceilings_find(run, &found), STATUS_OK);
    check_ceiling(find(&found, "memory", "read", 1), CEILING_BANDWIDTH, 1e9, 3);
    const struct ceiling *c = &found.list[0];
    assert_true(fabs(c->low * (1 + width) / c->plateau - 1) < 1e-9);
    assert_true(fabs(c->high * (1 - width) / c->plateau - 1) < 1e-9);
    assert_int_equal(c->flags, FLAG_foreign_load | FLAG_virtual_machine);
    ceilings_clear(&found);
}

/* ---- Places. */

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
        TEST(the_roofs_of_a_known_machine_are_found),
        TEST(the_plateau_is_the_median_and_the_maximum_the_best),
        TEST(accesses_are_kept_apart_and_the_best_read_is_the_bandwidth),
        TEST(controls_and_points_that_are_not_ok_are_left_out),
        TEST(points_between_two_levels_belong_to_no_ceiling),
        TEST(without_levels_nothing_is_a_ceiling_of_a_cache),
        TEST(a_ceiling_has_the_interval_of_its_median_point_and_the_flags_of_all),
        TEST(a_working_set_is_placed_only_where_it_clearly_lies),
        TEST(threads_divide_the_private_caches_but_not_the_shared_one),
        TEST(a_point_that_names_its_level_is_believed),
        TEST(levels_that_the_run_does_not_tell_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
