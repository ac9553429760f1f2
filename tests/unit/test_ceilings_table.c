/* /ceilings and /residuals of the file: what was fitted comes back, and only that. */
#include "harness/store/ceilings_table.h"
#include "harness/store/store.h"
#include "tests/unit/example_run.h"
#include "tests/unit/fake_files.h"

#include <math.h>

struct place {
    struct fake_files files;
    struct run run;
    char path[128];
};

static int open_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    fake_files_open(&place->files);
    snprintf(place->path, sizeof(place->path), "%s/run.h5", place->files.root);
    example_run(&place->run, 3, 5);
    *state = place;
    return 0;
}

static int close_place(void **state)
{
    struct place *place = *state;
    fake_files_close(&place->files);
    run_clear(&place->run);
    free(place);
    return 0;
}

/* Each text and number of the row is its own. */
static void fill_row(const struct store_table *shape, int number, char *row)
{
    memset(row, 0, shape->row_bytes);
    for (size_t c = 0; c < shape->columns_count; c++) {
        const struct store_column *column = &shape->columns[c];
        char *at = row + column->offset;
        if (column->kind == 't')
            snprintf(at, column->bytes, "%d.%zu", number, c);
        else if (column->kind == 'd')
            memcpy(at, &(double){number + (double)c / 7}, column->bytes);
        else
            memcpy(at, &(uint32_t){(uint32_t)number * 100 + (uint32_t)c}, column->bytes);
    }
}

static void fit(struct run *run, int first, size_t ceilings, size_t residuals)
{
    run_forget_fit(run);
    run->ceilings = calloc(ceilings + 1, sizeof(*run->ceilings));
    run->residuals = calloc(residuals + 1, sizeof(*run->residuals));
    assert_true(run->ceilings && run->residuals);
    run->ceilings_count = ceilings;
    run->residuals_count = residuals;
    for (size_t i = 0; i < ceilings; i++)
        fill_row(&store_ceilings, first + (int)i, (char *)&run->ceilings[i]);
    for (size_t i = 0; i < residuals; i++)
        fill_row(&store_residuals, first + (int)i, (char *)&run->residuals[i]);
}

static void write_run(const struct place *place)
{
    if (store_write(place->path, &place->run) != STATUS_OK)
        fail_msg("%s", error_message());
}

static void check_same_columns(const struct store_table *shape, const char *a, const char *b)
{
    for (size_t c = 0; c < shape->columns_count; c++) {
        const struct store_column *column = &shape->columns[c];
        if (memcmp(a + column->offset, b + column->offset, column->bytes) != 0)
            fail_msg("/%s: %s did not come back", shape->name, column->name);
    }
}

/* The file gives back what the run holds. */
static void check_file(const struct place *place)
{
    struct run after;
    if (store_read(place->path, &after) != STATUS_OK)
        fail_msg("%s", error_message());
    example_check_same_run(&after, &place->run);
    assert_int_equal(after.ceilings_count, place->run.ceilings_count);
    assert_int_equal(after.residuals_count, place->run.residuals_count);
    for (size_t i = 0; i < after.ceilings_count; i++)
        check_same_columns(&store_ceilings, (const char *)&after.ceilings[i],
                           (const char *)&place->run.ceilings[i]);
    for (size_t i = 0; i < after.residuals_count; i++)
        check_same_columns(&store_residuals, (const char *)&after.residuals[i],
                           (const char *)&place->run.residuals[i]);
    run_clear(&after);
}

/* Less than a number's room is left over, by the alignment of the struct. */
static void no_member_of_a_row_is_left_out(void **state)
{
    static const struct store_table *const shapes[] = {&store_ceilings, &store_residuals};
    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t bytes = 0;
        for (size_t c = 0; c < shapes[i]->columns_count; c++)
            bytes += shapes[i]->columns[c].bytes;
        assert_in_range(shapes[i]->row_bytes - bytes, 0, sizeof(double) - 1);
    }
}

/* More rows than a chunk of either table holds. */
static void every_column_of_every_row_comes_back(void **state)
{
    struct place *place = *state;
    fit(&place->run, 1, 150, 700);
    write_run(place);
    check_file(place);
}

static void a_run_that_was_not_fitted_has_no_tables_and_reads_as_such(void **state)
{
    const struct place *place = *state;
    write_run(place);
    hid_t file = H5Fopen(place->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(H5Lexists(file, "ceilings", H5P_DEFAULT), 0);
    assert_int_equal(H5Lexists(file, "residuals", H5P_DEFAULT), 0);
    H5Fclose(file);
    check_file(place);
}

/* Streams alone have ceilings and no curve. */
static void ceilings_may_come_without_residuals(void **state)
{
    struct place *place = *state;
    fit(&place->run, 1, 2, 0);
    write_run(place);
    check_file(place);
}

static void a_new_fit_replaces_the_old_one(void **state)
{
    struct place *place = *state;
    fit(&place->run, 1, 9, 20);
    write_run(place);
    fit(&place->run, 1000, 3, 7);
    write_run(place);
    check_file(place);
    run_forget_fit(&place->run);
    write_run(place);
    check_file(place);
}

static void a_text_of_full_length_is_cut_and_not_run_over(void **state)
{
    struct place *place = *state;
    struct run after;
    fit(&place->run, 1, 1, 1);
    memset(place->run.ceilings[0].reason, 'x', sizeof(place->run.ceilings[0].reason));
    memset(place->run.residuals[0].excluded, 'y', sizeof(place->run.residuals[0].excluded));
    write_run(place);
    assert_int_equal(store_read(place->path, &after), STATUS_OK);
    assert_int_equal(strlen(after.ceilings[0].reason), sizeof(after.ceilings[0].reason) - 1);
    assert_int_equal(strlen(after.residuals[0].excluded), sizeof(after.residuals[0].excluded) - 1);
    run_clear(&after);
}

static void a_table_without_one_of_its_columns_is_refused(void **state)
{
    static const char *const tables[] = {"ceilings", "residuals"};
    struct place *place = *state;
    for (int i = 0; i < 2; i++) {
        struct run after;
        char words[64];
        fit(&place->run, 1, 2, 2);
        write_run(place);
        hid_t file = H5Fopen(place->path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Ldelete(file, tables[i], H5P_DEFAULT) >= 0);
        assert_true(H5Lcreate_hard(file, "samples", file, tables[i], H5P_DEFAULT, H5P_DEFAULT) >=
                    0);
        H5Fclose(file);
        assert_int_equal(store_read(place->path, &after), STATUS_BAD_ARGUMENT);
        snprintf(words, sizeof(words), "/%s lacks the column", tables[i]);
        example_check_words(words);
        example_check_words(place->path);
        assert_null(after.ceilings);
        assert_null(after.points);
    }
}

/* What other programs need to read a column. */
static void the_tables_say_their_units(void **state)
{
    (void)state;
    char *units = store_units_json(&store_ceilings);
    assert_non_null(units);
    assert_non_null(strstr(units, "\"value\":\"unit\""));
    assert_non_null(strstr(units, "\"ridge\":\"1/B\""));
    free(units);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_member_of_a_row_is_left_out),
        TEST(every_column_of_every_row_comes_back),
        TEST(a_run_that_was_not_fitted_has_no_tables_and_reads_as_such),
        TEST(ceilings_may_come_without_residuals),
        TEST(a_new_fit_replaces_the_old_one),
        TEST(a_text_of_full_length_is_cut_and_not_run_over),
        TEST(a_table_without_one_of_its_columns_is_refused),
        TEST(the_tables_say_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
