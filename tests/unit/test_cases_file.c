/* The list of cases that `ridge` hands to a child, and the list that a child prints. */
#include "bench/benches.h"
#include "harness/measure/cases_file.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/sentence.h"

static const struct control controls[] = {
    {&bench_intensity, {"fmas=512", "dtype=f64", "level=L1", "threads=1", NULL}}, {0}};

#define ADD                                                                                        \
    "{\"bench\":\"bench_vector_add\",\"variant\":\"vector\",\"params\":{\"op\":\"add\","           \
    "\"dtype\":\"f32\",\"store\":\"plain\",\"array_bytes\":4096,\"threads\":1}"
#define CONTROL                                                                                    \
    "{\"bench\":\"bench_intensity\",\"variant\":\"vector\",\"params\":{\"dtype\":\"f64\","         \
    "\"level\":\"L1\",\"threads\":1,\"fmas\":512"

struct bed {
    struct fake_files files;
    char path[128];
    struct device *device;
    struct plan_context context;
    struct plan plan;
};

static int open_bed(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    assert_non_null(bed);
    fake_files_open(&bed->files);
    snprintf(bed->path, sizeof(bed->path), "%s/cases", bed->files.root);
    bed->device = fake_device_open("fake:1");
    bed->context = (struct plan_context){.device = bed->device, .policy = policy_find("quick")};
    *state = bed;
    return 0;
}

static int close_bed(void **state)
{
    struct bed *bed = *state;
    plan_clear(&bed->plan);
    device_close(bed->device);
    fake_files_close(&bed->files);
    free(bed);
    return 0;
}

static enum status read_text(struct bed *bed, const char *text)
{
    fake_files_put(&bed->files, "cases", text);
    return cases_file_read(bed->path, &bench_vector_add, controls, &bed->context, &bed->plan);
}

static void cases_come_with_their_kernels_values_and_rounds(void **state)
{
    struct bed *bed = *state;
    assert_int_equal(read_text(bed, ADD "}\n" ADD ",\"rounds\":[0,3,63]}\n"), STATUS_OK);
    assert_int_equal(bed->plan.count, 2);
    const struct planned_case *planned = bed->plan.cases;
    assert_ptr_equal(planned[0].bench, &bench_vector_add);
    assert_string_equal(planned[0].kernel->name, "vector");
    assert_int_equal(plan_axis(&planned[0], "array_bytes", 0), 4096);
    assert_int_equal(planned[0].rounds, 0xf); /* all four of the policy */
    assert_true(planned[1].rounds == (UINT64_C(1) << 63 | 1 << 3 | 1));
    assert_string_equal(planned[0].case_id, planned[1].case_id);
}

static void a_case_beside_another_bench_is_its_control(void **state)
{
    struct bed *bed = *state;
    assert_int_equal(read_text(bed, CONTROL "}}\n" CONTROL ",\"beside\":\"bench_vector_add\"}}\n"),
                     STATUS_OK);
    assert_int_equal(bed->plan.count, 2);
    assert_ptr_equal(bed->plan.cases[0].bench, &bench_intensity);
    assert_null(bed->plan.cases[0].beside);
    assert_string_equal(bed->plan.cases[1].beside, "bench_vector_add");
    assert_string_not_equal(bed->plan.cases[0].case_id, bed->plan.cases[1].case_id);
}

/* What a child lists as records is what it is asked for later: the ids have to agree. */
static void a_listed_case_is_read_back_with_the_same_id(void **state)
{
    struct bed *bed = *state;
    char listed[] = "/tmp/ridge-list-XXXXXX";
    int descriptor = mkstemp(listed);
    const char *const settings[] = {"op=read,triad", "array_bytes=4Ki,1.5Mi", "threads=1", NULL};
    struct plan plan = {0};
    assert_int_equal(plan_add(&plan, &bench_vector_add, "all", settings, &bed->context), STATUS_OK);
    FILE *file = fdopen(descriptor, "w");
    assert_int_equal(cases_file_list_records(&plan, &bed->context, file), STATUS_OK);
    fclose(file);
    assert_int_equal(
        cases_file_read(listed, &bench_vector_add, controls, &bed->context, &bed->plan), STATUS_OK);
    unlink(listed);
    assert_int_equal(bed->plan.count, 8);
    for (size_t i = 0; i < plan.count; i++)
        assert_string_equal(bed->plan.cases[i].case_id, plan.cases[i].case_id);
    plan_clear(&plan);
}

static void for_people_a_case_is_listed_by_id_bench_kernel_and_params(void **state)
{
    struct bed *bed = *state;
    char text[512] = "", expected[512];
    assert_int_equal(read_text(bed, ADD "}\n"), STATUS_OK);
    FILE *file = fmemopen(text, sizeof(text), "w");
    cases_file_list(&bed->plan, &bed->context, file);
    fclose(file);
    snprintf(expected, sizeof(expected),
             "%s bench_vector_add vector {\"op\":\"add\",\"dtype\":\"f32\",\"store\":\"plain\","
             "\"array_bytes\":4096,\"threads\":1}\n",
             bed->plan.cases[0].case_id);
    assert_string_equal(text, expected);
}

static void a_line_that_is_no_case_is_named_with_its_number(void **state)
{
    struct bed *bed = *state;
    static const struct {
        const char *line, *words;
    } wrong[] = {
        {"add", "cases:2: no JSON"},
        {"{\"bench\":\"bench_vector_add\",\"params\":{}}", "needs bench, variant and params"},
        {"{\"bench\":\"bench_gemm\",\"variant\":\"x\",\"params\":{}}", "no bench 'bench_gemm'"},
        {"{\"bench\":\"bench_vector_add\",\"variant\":\"vector\",\"params\":{\"op\":\"add\"}}",
         "params lack axis 'dtype'"},
        {ADD ",\"rounds\":[64]}", "numbers from 0 to 63"},
        {ADD ",\"rounds\":[-1]}", "numbers from 0 to 63"},
        {ADD ",\"rounds\":[\"all\"]}", "numbers from 0 to 63"},
        {CONTROL "5}}", "fmas=5125 is no rung"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s}\n%s\n", ADD, wrong[i].line);
        enum status status = read_text(bed, text);
        sentence_check(status, STATUS_BAD_ARGUMENT, wrong[i].words);
        sentence_check(status, STATUS_BAD_ARGUMENT, "cases:2: ");
    }
}

static void a_file_that_is_not_there_is_named(void **state)
{
    struct bed *bed = *state;
    sentence_check(
        cases_file_read("/no/such/file", &bench_vector_add, controls, &bed->context, &bed->plan),
        STATUS_BAD_ARGUMENT, "cannot read /no/such/file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bed, close_bed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cases_come_with_their_kernels_values_and_rounds),
        TEST(a_case_beside_another_bench_is_its_control),
        TEST(a_listed_case_is_read_back_with_the_same_id),
        TEST(for_people_a_case_is_listed_by_id_bench_kernel_and_params),
        TEST(a_line_that_is_no_case_is_named_with_its_number),
        TEST(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
