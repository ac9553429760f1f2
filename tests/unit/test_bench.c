/* The benches through their public struct: what they count, and that every kernel of their ladders
 * is right on sizes that nothing divides. */
#include "bench/benches.h"
#include "harness/measure/case.h"
#include "harness/measure/runner.h"
#include "kernels/intensity/intensity.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "kernels/stream/stream.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <math.h>
#include <stdlib.h>

static const struct policy policy = {.rounds = 2,
                                     .fewest_samples = 2,
                                     .wanted_samples = 2,
                                     .most_samples = 1,
                                     .sample_seconds = 1e-9};

struct bed {
    struct device *device;
    struct plan_context context;
    struct plan plan;
};

/* Odd levels, so that the parts of bench_intensity are odd, too. */
static int open_bed(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    assert_non_null(bed);
    const struct device_options options = {.name = "fake:1e-3",
                                           .levels = "L1=9999,L2=70001,L3=300007*"};
    assert_int_equal(device_open(&options, &bed->device), STATUS_OK);
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

/* What a planned case counts: set up, asked, and taken down again. */
static struct work count_work(struct bed *bed, const struct planned_case *planned)
{
    const struct bench *bench = planned->bench;
    struct bench_case c = {.device = bed->device, .kernel = planned->kernel, .amplitude = 1};
    int threads = (int)plan_axis(planned, "threads", 1);
    assert_int_equal(device_set_threads(bed->device, threads), STATUS_OK);
    assert_int_equal(plan_state(planned, &c.state), STATUS_OK);
    assert_int_equal(bench->setup(&c), STATUS_OK);
    struct work work = bench->work(c.state);
    double needed = bench->buffer_bytes(c.state, device_info(bed->device));
    assert_true((double)case_buffer_bytes(&c) <= needed + 8 * 4096); /* what plan_add judges */
    case_free_buffers(&c);
    free(c.state);
    return work;
}

static void plan(struct bed *bed, const struct bench *bench, const char *const *settings)
{
    assert_int_equal(plan_add(&bed->plan, bench, "all", settings, &bed->context), STATUS_OK);
    assert_true(bed->plan.count > 0);
}

/* ---- What is counted. */

/* Per element of `size` bytes, from the rule that bench_vector_add states in words. */
static const struct {
    const char *op;
    double arrays, stored_arrays, operations;
} rules[] = {{"read", 1, 0, 1},  {"write", 1, 1, 0}, {"copy", 2, 1, 0},
             {"scale", 2, 1, 1}, {"add", 3, 1, 1},   {"triad", 3, 1, 2}};

static void vector_add_counts_as_its_rule_says(void **state)
{
    struct bed *bed = *state;
    enum { OP, DTYPE, STORE };
    const char *const settings[] = {
        "op=read,write,copy,scale,add,triad", "dtype=f32,f64", "store=plain,nontemporal",
        "array_bytes=8,4104,65544",           "threads=1,all", NULL};
    plan(bed, &bench_vector_add, settings);
    for (size_t i = 0; i < bed->plan.count; i++) {
        const struct planned_case *planned = &bed->plan.cases[i];
        double bytes = (double)plan_axis(planned, "array_bytes", 0);
        double count = bytes / (planned->value[DTYPE] == ELEMENT_F32 ? 4 : 8);
        int64_t op = planned->value[OP];
        struct work work = count_work(bed, planned);
        assert_string_equal(stream_op_names[op], rules[op].op);
        assert_true(work.bytes == rules[op].arrays * bytes);
        assert_true(work.operations == rules[op].operations * count);
        double allocated = planned->value[STORE] == STREAM_PLAIN ? rules[op].stored_arrays : 0;
        assert_true(work.bus_bytes == work.bytes + allocated * bytes);
        assert_true(work.link_bytes == 0);
    }
}

static void an_f32_add_is_one_operation_on_12_bytes(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"op=add", "dtype=f32", "array_bytes=4Ki,1Mi", NULL};
    plan(bed, &bench_vector_add, settings);
    for (size_t i = 0; i < bed->plan.count; i++) {
        struct work work = count_work(bed, &bed->plan.cases[i]);
        assert_true(work.operations * 12 == work.bytes);
    }
}

static void read_has_no_nontemporal_store_and_odd_bytes_are_no_array(void **state)
{
    struct bed *bed = *state;
    const char *const nothing[] = {"op=read", "store=nontemporal", NULL};
    const char *const odd[] = {"array_bytes=4097", NULL};
    assert_int_equal(plan_add(&bed->plan, &bench_vector_add, NULL, nothing, &bed->context),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, 0);
    sentence_check(plan_add(&bed->plan, &bench_vector_add, NULL, odd, &bed->context),
                   STATUS_BAD_ARGUMENT, "array_bytes=4097 is no multiple of 4, the size of f32");
}

static void the_intensity_of_the_ladder_is_m_over_2_in_f32_and_m_over_4_in_f64(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1,L2", "threads=1,all", NULL};
    plan(bed, &bench_intensity, settings);
    for (size_t i = 0; i < bed->plan.count; i++) {
        const struct planned_case *planned = &bed->plan.cases[i];
        bool is_f32 = planned->value[0] == ELEMENT_F32;
        double m = (double)plan_axis(planned, "fmas", 0);
        struct work work = count_work(bed, planned);
        assert_true(work.bytes > 0 && work.bus_bytes == work.bytes);
        assert_true(work.operations / work.bytes == (is_f32 ? m / 2 : m / 4));
        assert_true(work.operations / work.bytes <= 1024);
    }
}

/* f32 2048 and f64 4096 are 1024 operations per byte, the end of the ladder. */
static void the_ladder_has_12_rungs_in_f32_and_13_in_f64(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1", "threads=1", NULL};
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, settings, &bed->context),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, 12 + 13);
    const char *const between[] = {"fmas=3", NULL};
    sentence_check(plan_add(&bed->plan, &bench_intensity, NULL, between, &bed->context),
                   STATUS_BAD_ARGUMENT, "fmas=3 is no rung of the ladder");
}

/* bf16 1024 and int8 512 are 1024 operations per byte, too. */
static void dot_instructions_count_m_and_2_m_per_byte_and_say_what_they_sum_in(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1", "threads=1", "dtype=bf16,int8", NULL};
    size_t bf16 = intensity_supports(INTENSITY_BF16) == STATUS_OK ? 11 : 0;
    size_t int8 = intensity_supports(INTENSITY_INT8) == STATUS_OK ? 10 : 0;
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, settings, &bed->context),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, bf16 + int8);
    for (size_t i = 0; i < bed->plan.count; i++) {
        const struct planned_case *planned = &bed->plan.cases[i];
        const double m = (double)plan_axis(planned, "fmas", 0);
        struct work work = count_work(bed, planned);
        struct record record = {0};
        plan_identity(planned, &bed->context, &record);
        assert_string_equal(record.dtype, i < bf16 ? "bf16" : "int8");
        assert_string_equal(record.accumulator, i < bf16 ? "f32" : "int32");
        assert_true(work.operations / work.bytes == (i < bf16 ? m : 2 * m));
    }
}

static void a_missing_dot_instruction_is_left_out_and_told_where_nothing_else_is_asked(void **state)
{
    struct bed *bed = *state;
    const char *const mixed[] = {"level=L1", "threads=1", "fmas=16", "dtype=bf16,f32", NULL};
    const char *const alone[] = {"level=L1", "threads=1", "fmas=16", "dtype=bf16", NULL};
    assert_int_equal(kernels_cpu_choose(isa_table[0].name), STATUS_OK);
    plan(bed, &bench_intensity, mixed);
    for (size_t i = 0; i < bed->plan.count; i++)
        assert_int_equal(bed->plan.cases[i].value[0], ELEMENT_F32);
    assert_int_equal(plan_refuse_empty(&bed->plan, &bench_intensity), STATUS_OK);
    plan_clear(&bed->plan);
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, alone, &bed->context), STATUS_OK);
    sentence_check(plan_refuse_empty(&bed->plan, &bench_intensity), STATUS_SKIP, "bf16");
}

static void a_level_that_the_machine_lacks_is_left_out(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1,L2,L3", "threads=1", "fmas=1", "dtype=f32", NULL};
    bed->device->info.levels.count = 2;
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, settings, &bed->context),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, 2);
}

/* The array of a level must neither fit the one below nor fill its own. */
static void the_array_of_a_level_lies_in_that_level(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1,L2,L3,memory", "threads=1", "fmas=1", "dtype=f64",
                                    NULL};
    static const double least[] = {0, 70001 / 4.0, 70001, 4 * 300007.0},
                        most[] = {9999, 70001, 300007, 80e6};
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, settings, &bed->context),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, 4);
    for (size_t i = 0; i < 4; i++) {
        struct work work = count_work(bed, &bed->plan.cases[i]);
        assert_true(work.bytes > least[i] && work.bytes < most[i]);
    }
}

/* ---- Answers. */

/* Checks every planned case in one round; a reference without such stores is skipped. */
static void check_all_answers(struct bed *bed, size_t least_right)
{
    const struct runner_options options = {.policy = &policy, .run_id = "t", .check_only = true};
    const struct emit nowhere = {.record_fd = -1, .ack_fd = -1};
    struct runner_result result;
    size_t right = 0;
    assert_int_equal(runner_run(&bed->plan, &bed->context, &options, &nowhere, NULL, NULL, &result),
                     STATUS_OK);
    for (size_t i = 0; i < result.count; i++) {
        const struct record *p = &result.points[i];
        if (p->status != RECORD_ok && p->status != RECORD_skipped)
            fail_msg("%s %s: %s", p->variant, p->params, p->reason);
        right += p->status == RECORD_ok;
    }
    runner_result_clear(&result);
    assert_true(right >= least_right);
}

static void every_kernel_of_vector_add_is_right_at_odd_sizes(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"op=read,write,copy,scale,add,triad",
                                    "dtype=f32,f64",
                                    "store=plain,nontemporal",
                                    "array_bytes=8,24,72,136,1000,4104,65544,1048584",
                                    "threads=1,all",
                                    NULL};
    plan(bed, &bench_vector_add, settings);
    check_all_answers(bed, 6 * 2 * 2 * 8);
}

static void every_kernel_of_intensity_is_right_at_odd_sizes(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1,L2,L3", "threads=1,all", "fmas=1..256*2", NULL};
    plan(bed, &bench_intensity, settings);
    check_all_answers(bed, 2 * 2 * 3 * 9);
}

static void every_rung_of_the_ladder_is_right_up_to_4096(void **state)
{
    struct bed *bed = *state;
    const char *const settings[] = {"level=L1", "threads=1", "fmas=512..4096*2", NULL};
    plan(bed, &bench_intensity, settings);
    check_all_answers(bed, 2 * (3 + 4));
}

/* A kernel that only looks at its inputs: does it find a number other than zero? */
static enum status look_at_stream(struct device *device, const void *untyped, int64_t first_unit,
                                  int64_t unit_count)
{
    const struct stream_args *args = untyped;
    const float *a = args->a, *b = args->b;
    (void)device, (void)first_unit, (void)unit_count;
    for (int64_t i = 0; i < args->count; i++)
        if (a[i] != 0 || b[i] != 0)
            return STATUS_WRONG_ANSWER;
    return STATUS_OK;
}

static enum status look_at_intensity(struct device *device, const void *untyped, int64_t first_unit,
                                     int64_t unit_count)
{
    const struct intensity_args *args = untyped;
    const float *a = args->a;
    (void)device, (void)first_unit, (void)unit_count;
    for (int64_t i = 0; i < args->count; i++)
        if (a[i] != 0)
            return STATUS_WRONG_ANSWER;
    return STATUS_OK;
}

static const struct kernel stream_looker = {.name = "looker", .launch = look_at_stream};
static const struct kernel intensity_looker = {.name = "looker", .launch = look_at_intensity};

static enum status look_at_inputs(const struct planned_case *planned, struct device *device,
                                  const struct kernel *looker, double amplitude)
{
    struct bench_case c = {.device = device, .kernel = looker, .amplitude = amplitude};
    assert_int_equal(device_set_threads(device, 1), STATUS_OK);
    assert_int_equal(plan_state(planned, &c.state), STATUS_OK);
    assert_int_equal(planned->bench->setup(&c), STATUS_OK);
    enum status seen = planned->bench->run(&c, 0, 1);
    case_free_buffers(&c);
    free(c.state);
    return seen;
}

static void inputs_are_zeros_where_they_shall_be_and_only_there(void **state)
{
    struct bed *bed = *state;
    const char *const add[] = {"op=add", "dtype=f32", "array_bytes=4104", "threads=1", NULL};
    const char *const rung[] = {"level=L1", "dtype=f32", "fmas=1", "threads=1", NULL};
    plan(bed, &bench_vector_add, add);
    const struct planned_case *stream = &bed->plan.cases[0];
    assert_int_equal(look_at_inputs(stream, bed->device, &stream_looker, 0), STATUS_OK);
    assert_int_equal(look_at_inputs(stream, bed->device, &stream_looker, 1), STATUS_WRONG_ANSWER);
    plan_clear(&bed->plan);
    plan(bed, &bench_intensity, rung);
    const struct planned_case *ladder = &bed->plan.cases[0];
    assert_int_equal(look_at_inputs(ladder, bed->device, &intensity_looker, 0), STATUS_OK);
    assert_int_equal(look_at_inputs(ladder, bed->device, &intensity_looker, 1),
                     STATUS_WRONG_ANSWER);
}

static void every_kernel_is_right_with_inputs_of_zeros(void **state)
{
    struct bed *bed = *state;
    const char *const ops[] = {"op=read,write,copy,scale,add,triad", "dtype=f32,f64",
                               "array_bytes=4104", NULL};
    const char *const rungs[] = {"level=L1", "fmas=1,16,256", NULL};
    bed->context.constant_fill = true;
    plan(bed, &bench_vector_add, ops);
    plan(bed, &bench_intensity, rungs);
    check_all_answers(bed, 2 * (6 * 2 + 6));
}

/* A second's answer must not pass for another's: units differ, and so does the check. */
static void the_answer_of_one_chunk_does_not_pass_for_that_of_another(void **state)
{
    struct bed *bed = *state;
    struct check check;
    const char *const settings[] = {"level=memory", "threads=1", "fmas=4", "dtype=f64", NULL};
    assert_int_equal(plan_add(&bed->plan, &bench_intensity, NULL, settings, &bed->context),
                     STATUS_OK);
    struct bench_case c = {.device = bed->device,
                           .kernel = bed->plan.cases[0].kernel,
                           .amplitude = 1,
                           .check_all = true};
    assert_int_equal(device_set_threads(bed->device, 1), STATUS_OK);
    assert_int_equal(plan_state(&bed->plan.cases[0], &c.state), STATUS_OK);
    assert_int_equal(bench_intensity.setup(&c), STATUS_OK);
    assert_true(bench_intensity.units(c.state) > 8);
    assert_int_equal(bench_intensity.run(&c, 7, 1), STATUS_OK);
    c.checked_unit = 7;
    assert_int_equal(bench_intensity.check(&c, &check), STATUS_OK);
    assert_true(check.max_error <= check.tolerance);
    c.checked_unit = 8;
    sentence_check(bench_intensity.check(&c, &check), STATUS_WRONG_ANSWER, "element 0 is ");
    case_free_buffers(&c);
    free(c.state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(vector_add_counts_as_its_rule_says),
        TEST(an_f32_add_is_one_operation_on_12_bytes),
        TEST(read_has_no_nontemporal_store_and_odd_bytes_are_no_array),
        TEST(the_intensity_of_the_ladder_is_m_over_2_in_f32_and_m_over_4_in_f64),
        TEST(the_ladder_has_12_rungs_in_f32_and_13_in_f64),
        TEST(dot_instructions_count_m_and_2_m_per_byte_and_say_what_they_sum_in),
        TEST(a_missing_dot_instruction_is_left_out_and_told_where_nothing_else_is_asked),
        TEST(a_level_that_the_machine_lacks_is_left_out),
        TEST(the_array_of_a_level_lies_in_that_level),
        TEST(every_kernel_of_vector_add_is_right_at_odd_sizes),
        TEST(every_kernel_of_intensity_is_right_at_odd_sizes),
        TEST(every_rung_of_the_ladder_is_right_up_to_4096),
        TEST(inputs_are_zeros_where_they_shall_be_and_only_there),
        TEST(every_kernel_is_right_with_inputs_of_zeros),
        TEST(the_answer_of_one_chunk_does_not_pass_for_that_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
