/* Which cases a plan has, and what their ids are made of. */
#include "harness/base/units.h"
#include "harness/measure/plan.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <stdlib.h>

enum op { PUSH, PULL };
static const char *const op_names[] = {"push", "pull", NULL};
static const char *const store_names[] = {"soft", "hard", NULL};

struct thing {
    int64_t op, dtype, store, size, threads;
};

/* Nothing is pulled hard, and nothing has size 13. */
static enum status admit(const void *state, const struct device_info *info)
{
    const struct thing *t = state;
    (void)info;
    if (t->size == 13)
        return FAIL(STATUS_BAD_ARGUMENT, "13 is no size");
    return t->op == PULL && t->store == 1 ? STATUS_SKIP : STATUS_OK;
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    (void)info;
    return (double)((const struct thing *)state)->size;
}

static const struct bench thing = {
    .name = "thing",
    .counting = "things",
    .family = FAMILY_STREAM,
    .method_version = 3,
    .axes =
        {
            AXIS_NAMES(struct thing, op, op_names, "push,pull", "what is done"),
            AXIS_NAMES(struct thing, dtype, element_names, "f32,f64", "the element"),
            AXIS_NAMES(struct thing, store, store_names, "soft,hard", "how"),
            AXIS(struct thing, size, AXIS_BYTES, "1Ki,2Ki", "how much"),
            AXIS(struct thing, threads, AXIS_THREADS, "1", "by how many"),
        },
    .state_bytes = sizeof(struct thing),
    .admit = admit,
    .buffer_bytes = buffer_bytes,
};

static const struct policy policy = {.case_seconds = 0.25,
                                     .rounds = 4,
                                     .fewest_samples = 16,
                                     .wanted_samples = 40,
                                     .most_samples = 128,
                                     .sample_seconds = 0.5e-3,
                                     .target_half_width = 0.02};

struct bed {
    struct device *device;
    struct plan_context context;
    struct plan plan;
};

static int open_bed(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    assert_non_null(bed);
    bed->device = fake_device_open("fake:1");
    bed->context = (struct plan_context){.device = bed->device, .policy = &policy};
    *state = bed;
    return 0;
}

static int close_bed(void **state)
{
    struct bed *bed = *state;
    plan_clear(&bed->plan);
    device_close(bed->device);
    free(bed);
    return 0;
}

static const char *const one_case[] = {"op=pull", "dtype=f64", "store=soft", "size=4Ki", NULL};

/* ---- Combinations. */

static void all_combinations_are_planned_but_those_that_are_no_case(void **state)
{
    struct bed *bed = *state;
    assert_int_equal(plan_add(&bed->plan, &thing, NULL, NULL, &bed->context), STATUS_OK);
    assert_int_equal(bed->plan.count, 12); /* 16, less pull hard in 2 types and 2 sizes */
    for (size_t i = 0; i < bed->plan.count; i++) {
        const struct planned_case *planned = &bed->plan.cases[i];
        assert_false(planned->value[0] == PULL && planned->value[2] == 1);
        assert_int_equal(planned->rounds, 0xf);
        assert_string_equal(planned->kernel->name, "vector"); /* the last rung */
        assert_null(planned->beside);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(planned->case_id, bed->plan.cases[k].case_id);
    }
    assert_int_equal(plan_axis(&bed->plan.cases[1], "size", 0), 2048); /* the last axis first */
    assert_int_equal(plan_axis(&bed->plan.cases[1], "colour", -7), -7);
}

static void a_setting_replaces_the_benchs_values_and_the_last_one_counts(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"size=1,2,3", "op=push", "size=5", "store=soft", NULL};
    assert_int_equal(plan_add(&bed->plan, &thing, NULL, settings, &bed->context), STATUS_OK);
    assert_int_equal(bed->plan.count, 2); /* two dtypes */
    assert_int_equal(plan_axis(&bed->plan.cases[0], "size", 0), 5);
}

static void a_kernel_is_chosen_by_name_and_all_of_them_by_all(void **state)
{
    struct bed *bed = *state;
    assert_int_equal(plan_add(&bed->plan, &thing, "reference", one_case, &bed->context), STATUS_OK);
    assert_int_equal(bed->plan.count, 1);
    assert_string_equal(bed->plan.cases[0].kernel->name, "reference");
    assert_int_equal(plan_add(&bed->plan, &thing, "all", one_case, &bed->context), STATUS_OK);
    assert_int_equal(bed->plan.count, 3);
    assert_string_equal(bed->plan.cases[1].kernel->name, "reference");
    assert_string_equal(bed->plan.cases[2].kernel->name, "vector");
}

static void the_state_of_a_case_holds_its_values_and_zeros(void **state)
{
    struct bed *bed = *state;
    void *made = NULL;
    assert_int_equal(plan_add(&bed->plan, &thing, NULL, one_case, &bed->context), STATUS_OK);
    assert_int_equal(plan_state(&bed->plan.cases[0], &made), STATUS_OK);
    const struct thing *t = made;
    assert_true(t->op == PULL && t->dtype == ELEMENT_F64 && t->store == 0 && t->size == 4096);
    assert_int_equal(t->threads, 1);
    free(made);
}

/* ---- Ids. */

/* Computed outside of this program, from the rule in record.h. */
static void the_id_of_a_case_is_the_hash_of_its_identity(void **state)
{
    struct bed *bed = *state;
    struct record record = {0};
    assert_int_equal(plan_add(&bed->plan, &thing, "reference", one_case, &bed->context), STATUS_OK);
    plan_identity(&bed->plan.cases[0], &bed->context, &record);
    assert_string_equal(record.params, "{\"op\":\"pull\",\"dtype\":\"f64\",\"store\":\"soft\","
                                       "\"size\":4096,\"threads\":1}");
    assert_string_equal(record.device, "fake");
    assert_string_equal(record.accumulator, "f64");
    assert_string_equal(record.store_kind, "soft");
    assert_int_equal(record.threads, 1);
    assert_string_equal(record.method, "8bd69e2b52dca3bd");
    assert_string_equal(record.case_id, "3ff936f55f6a0b9a");
    assert_string_equal(bed->plan.cases[0].case_id, record.case_id);
}

static void id_of(const struct bench *bench, const char *kernel, const char *const *settings,
                  const struct plan_context *context, char id[CASE_ID_BYTES])
{
    struct plan plan = {0};
    assert_int_equal(plan_add(&plan, bench, kernel, settings, context), STATUS_OK);
    assert_int_equal(plan.count, 1);
    memcpy(id, plan.cases[0].case_id, CASE_ID_BYTES);
    plan_clear(&plan);
}

static void the_id_changes_with_each_part_of_the_identity(void **state)
{
    struct bed *bed = *state;
    enum { VARIANTS = 13 };
    char id[VARIANTS][CASE_ID_BYTES];
    struct bench named = thing, counted = thing, versioned = thing;
    named.name = "thong";
    counted.counting = "thongs";
    versioned.method_version = 4;
    const struct bench *const benches[] = {&thing, &named, &counted, &versioned};
    static const char *const changes[] = {"op=push", "dtype=f32", "size=8Ki"};
    struct plan_context forced = bed->context, small = bed->context, zero = bed->context;
    forced.isa_forced = zero.constant_fill = true;
    small.pages = PAGES_SMALL;
    int used = 0;
    for (int i = 0; i < 4; i++)
        id_of(benches[i], NULL, one_case, &bed->context, id[used++]);
    for (int i = 0; i < 3; i++) {
        const char *const settings[] = {one_case[0], one_case[1], one_case[2],
                                        one_case[3], changes[i],  NULL};
        id_of(&thing, NULL, settings, &bed->context, id[used++]);
    }
    id_of(&thing, "reference", one_case, &bed->context, id[used++]);
    id_of(&thing, NULL, one_case, &forced, id[used++]);
    id_of(&thing, NULL, one_case, &small, id[used++]);
    id_of(&thing, NULL, one_case, &zero, id[used++]);
    strcpy(bed->device->info.name, "fake:1");
    id_of(&thing, NULL, one_case, &bed->context, id[used++]);
    const char *const pushed_hard[] = {"op=push", one_case[1], "store=hard", one_case[3], NULL};
    id_of(&thing, NULL, pushed_hard, &bed->context, id[used++]);
    assert_int_equal(used, VARIANTS);
    for (int i = 0; i < VARIANTS; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(id[i], id[k]) == 0)
                fail_msg("variants %d and %d have the same id", k, i);
}

static void the_id_changes_with_how_it_is_sampled(void **state)
{
    struct bed *bed = *state;
    struct policy changed[8];
    char id[8][CASE_ID_BYTES];
    for (int i = 0; i < 8; i++)
        changed[i] = policy;
    changed[1].case_seconds = 0.5;
    changed[2].rounds = 5;
    changed[3].fewest_samples = 17;
    changed[4].wanted_samples = 41;
    changed[5].sample_seconds = 1e-3;
    changed[6].target_half_width = 0.01;
    changed[7].most_samples = 129;
    for (int i = 0; i < 8; i++) {
        bed->context.policy = &changed[i];
        id_of(&thing, NULL, one_case, &bed->context, id[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(id[i], id[k]);
    }
}

/* ---- Controls. */

static void controls_are_marked_by_what_they_stand_beside(void **state)
{
    struct bed *bed = *state;
    const struct control controls[] = {
        {&thing, {one_case[0], one_case[1], one_case[2], one_case[3], NULL}}, {0}};
    struct bench other = thing;
    struct record record = {0};
    other.name = "other";
    assert_int_equal(plan_add(&bed->plan, &thing, NULL, one_case, &bed->context), STATUS_OK);
    assert_int_equal(plan_add_controls(&bed->plan, controls, &other, &bed->context), STATUS_OK);
    assert_int_equal(plan_add_controls(&bed->plan, controls, &thing, &bed->context), STATUS_OK);
    assert_int_equal(bed->plan.count, 3);
    plan_identity(&bed->plan.cases[1], &bed->context, &record);
    assert_string_equal(record.bench, "thing");
    assert_non_null(strstr(record.params, ",\"beside\":\"other\"}"));
    assert_string_equal(bed->plan.cases[2].beside, "thing");
    for (int i = 0; i < 3; i++)
        assert_string_not_equal(bed->plan.cases[i].case_id, bed->plan.cases[(i + 1) % 3].case_id);
}

/* ---- Refusals. */

static void what_the_bench_does_not_have_is_refused_with_what_it_has(void **state)
{
    struct bed *bed = *state;
    static const struct {
        const char *setting, *words;
    } wrong[] = {
        {"colour=red", "thing has no axis 'colour'; it has: op, dtype, store, size, threads"},
        {"siz=1", "no axis 'siz'"},
        {"sizes=1", "no axis 'sizes'"},
        {"size", "'size' is no setting; write axis=value,value"},
        {"op=throw", "'throw' is no value of axis op; it has: push, pull"},
        {"size=4Kx", "size: '4Kx' is not a number of bytes"},
        {"size=13", "13 is no size"},
        {"threads=100000", "threads=100000, but only"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const char *const settings[] = {wrong[i].setting, NULL};
        sentence_check(plan_add(&bed->plan, &thing, NULL, settings, &bed->context),
                       STATUS_BAD_ARGUMENT, wrong[i].words);
    }
    sentence_check(plan_add(&bed->plan, &thing, "magic", NULL, &bed->context), STATUS_BAD_ARGUMENT,
                   "thing has no kernel 'magic' here; it has: reference, vector, all");
}

static void a_case_that_does_not_fit_is_refused_before_it_starts(void **state)
{
    struct bed *bed = *state;
    const char *const fits[] = {"size=900", NULL}, *const fits_not[] = {"size=901", NULL};
    bed->device->info.memory_bytes = 1000;
    assert_int_equal(plan_add(&bed->plan, &thing, NULL, fits, &bed->context), STATUS_OK);
    sentence_check(plan_add(&bed->plan, &thing, NULL, fits_not, &bed->context), STATUS_BAD_ARGUMENT,
                   "a case needs 901 B of buffers, and of 1000 B free");
}

static void a_device_without_kernels_of_the_family_is_no_error(void **state)
{
    struct bed *bed = *state;
    static const struct kernel_set none = {0};
    bed->device->kernels = &none;
    sentence_check(plan_add(&bed->plan, &thing, NULL, NULL, &bed->context), STATUS_SKIP,
                   "thing has no kernels for device fake");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_combinations_are_planned_but_those_that_are_no_case),
        TEST(a_setting_replaces_the_benchs_values_and_the_last_one_counts),
        TEST(a_kernel_is_chosen_by_name_and_all_of_them_by_all),
        TEST(the_state_of_a_case_holds_its_values_and_zeros),
        TEST(the_id_of_a_case_is_the_hash_of_its_identity),
        TEST(the_id_changes_with_each_part_of_the_identity),
        TEST(the_id_changes_with_how_it_is_sampled),
        TEST(controls_are_marked_by_what_they_stand_beside),
        TEST(what_the_bench_does_not_have_is_refused_with_what_it_has),
        TEST(a_case_that_does_not_fit_is_refused_before_it_starts),
        TEST(a_device_without_kernels_of_the_family_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
