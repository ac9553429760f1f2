/* The price list: which ceilings it holds, in which order, and which of them is the price. */
#include "harness/model/rows.h"
#include "harness/show/show.h"
#include "tests/unit/sentence.h"
#include "tests/unit/synthetic_run.h"

static void add(struct run *run, const char *device, const char *mix, const char *dtype,
                int threads, double value)
{
    struct ceiling row = {.value = value, .low = 0.99 * value, .high = 1.01 * value, .points = 3};
    row.threads = threads;
    strcpy(row.reading, "typical");
    strcpy(row.kind, "compute");
    strcpy(row.device, device);
    strcpy(row.mix, mix);
    strcpy(row.dtype, dtype);
    strcpy(row.unit, "op/s");
    strcpy(row.reason, "best at 8192x8192x8192, of 5 products");
    strcpy(row.status, value > 0 ? "determined" : "not_determined");
    assert_int_equal(rows_add_ceiling(run, &row), STATUS_OK);
}

static void add_point(struct run *run, const char *device, const char *dtype, const char *sums)
{
    struct record shape = {.threads = 1, .bytes = 1, .operations = 1};
    strcpy(shape.device, device);
    strcpy(shape.dtype, dtype);
    strcpy(shape.accumulator, sums);
    snprintf(shape.params, sizeof(shape.params), "{\"dtype\":\"%s\"}", dtype);
    synthetic_add(run, &shape, 1, 0);
}

static int open_run(void **state)
{
    static struct run run;
    synthetic_begin(&run);
    add_point(&run, "cpu", "f64", "f64");
    add_point(&run, "cuda:0", "f16", "f32");
    add_point(&run, "cuda:0", "f64", "f64");
    add(&run, "cpu", "fma", "f32", 1, 1e11);
    add(&run, "cpu", "fma", "f64", 2, 1e11);
    add(&run, "cpu", "fma", "f32", 2, 2e11);
    add(&run, "cuda:0", "mma.sync", "f16", 1, 6e14);
    add(&run, "cuda:0", "cublaslt", "f16", 1, 8e14);
    add(&run, "cuda:0", "fma", "f32", 1, 6e13);
    add(&run, "cuda:0", "fma", "f64", 1, 3e13);
    add(&run, "cuda:0", "mma.sync", "f64", 1, 5e13);
    add(&run, "cuda:0", "fma", "bf16x2", 1, 0); /* not determined */
    *state = &run;
    return 0;
}

static int close_run(void **state)
{
    run_clear(*state);
    return 0;
}

static char *print(const struct run *run, const struct show_options *options)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(show_prices(run, options, file), STATUS_OK);
    fclose(file);
    return text;
}

/* Fails unless these stand in the text, one behind the other. */
static void check_order(const char *text, const char *const *parts, size_t count)
{
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("no '%s' behind '%.60s'", parts[i], at);
        at = found + strlen(parts[i]);
    }
}

static void types_stand_in_their_order_with_sums_method_and_share_of_f32(void **state)
{
    static const char *const rows[] = {
        "\"cpu\",2,\"f64\",\"f64\",\"dense\",\"chains of "
        "multiply-adds\",1e+11,0.01,9.9e+10,1.01e+11,0.5,"
        "\"yes\"",
        "\"cpu\",2,\"f32\",\"f32\",\"dense\",\"chains of multiply-adds\",2e+11,",
        "\"cuda:0\",1,\"f64\",\"f64\",\"dense\",\"chains of multiply-adds\",3e+13,0.01,2.97e+13,"
        "3.03e+13,0.5,\"yes\"",
        "\"cuda:0\",1,\"f64\",\"f64\",\"dense\",\"mma.sync throughput\",5e+13,",
        "\"cuda:0\",1,\"f32\",",
        "\"cuda:0\",1,\"f16\",\"f32\",\"dense\",\"cuBLASLt, best of sizes\",8e+14,",
        "\"cuda:0\",1,\"f16\",\"f32\",\"dense\",\"mma.sync throughput\",6e+14,"};
    char *text = print(*state, &(struct show_options){.format = GRID_CSV});
    check_order(text, rows, sizeof(rows) / sizeof(rows[0]));
    assert_null(strstr(text, "bf16x2"));
    assert_null(strstr(text, "\"cpu\",1,"));
    free(text);
}

static void what_mma_sync_delivers_is_no_price_and_no_peak(void **state)
{
    char *text = print(*state, &(struct show_options){.format = GRID_CSV, .dtype = "f16"});
    assert_non_null(strstr(text, "8e+14,0.01,7.92e+14,8.08e+14,13.3333333,\"yes\""));
    assert_non_null(strstr(text, "6e+14,0.01,5.94e+14,6.06e+14,10,\"\""));
    free(text);
    text = print(*state, &(struct show_options){.format = GRID_TEXT});
    assert_non_null(strstr(text, "no peak"));
    assert_non_null(strstr(text, "- f16 by cuBLASLt: best at 8192x8192x8192, of 5 products\n"));
    assert_null(strstr(text, "f64 by cuBLASLt"));
    free(text);
}

static void asked_for_threads_and_devices_are_shown_alone(void **state)
{
    char *text =
        print(*state, &(struct show_options){.format = GRID_CSV, .device = "cpu", .threads = 1});
    assert_non_null(strstr(text, "\"cpu\",1,\"f32\""));
    assert_null(strstr(text, "cuda"));
    free(text);
}

static void a_table_for_people_fits_80_columns(void **state)
{
    char *text = print(*state, &(struct show_options){.format = GRID_TEXT});
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("too wide: %.*s", (int)strcspn(line, "\n"), line);
    free(text);
}

static void a_run_without_compute_ceilings_says_what_it_needs(void **state)
{
    const struct show_options options = {.format = GRID_TEXT, .dtype = "e4m3"};
    sentence_check(show_prices(*state, &options, stdout), STATUS_BAD_ARGUMENT,
                   "no compute ceiling for e4m3 is determined in this run");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(types_stand_in_their_order_with_sums_method_and_share_of_f32),
        TEST(what_mma_sync_delivers_is_no_price_and_no_peak),
        TEST(asked_for_threads_and_devices_are_shown_alone),
        TEST(a_table_for_people_fits_80_columns),
        TEST(a_run_without_compute_ceilings_says_what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
