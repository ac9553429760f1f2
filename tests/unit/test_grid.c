/* One table in its four dresses. */
#include "harness/show/grid.h"
#include "tests/unit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct grid_column columns[] = {
    {"name", "name", false, false},
    {"secret", "secret", false, true},
    {"bytes_per_s", "bandwidth", true, false},
    {"count", "n", true, true},
    {"note", "note", false, false},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void add_row(struct grid *grid, const char *name, double rate, const char *pretty,
                    const char *note)
{
    assert_int_equal(grid_text(grid, name), STATUS_OK);
    assert_int_equal(grid_text(grid, "s"), STATUS_OK);
    assert_int_equal(grid_number(grid, rate, pretty), STATUS_OK);
    assert_int_equal(grid_number(grid, 7, NULL), STATUS_OK);
    assert_int_equal(grid_text(grid, note), STATUS_OK);
}

static void make_grid(struct grid *grid)
{
    grid_begin(grid, columns, COLUMNS);
    add_row(grid, "add", 35213456789.0, "35.2 GB/s", "plain");
    add_row(grid, "sch\xc3\xb6n \xe2\x94\x82", 1234567, NULL, "a \"b\", c");
    add_row(grid, "none", (double)NAN, "not this", "");
    add_row(grid, "endless", (double)INFINITY, NULL, "x");
}

static char *print(const struct grid *grid, enum grid_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(grid_print(grid, format, file), STATUS_OK);
    fclose(file);
    return text;
}

static void check_print(enum grid_format format, const char *expected)
{
    struct grid grid;
    make_grid(&grid);
    char *text = print(&grid, format);
    if (strcmp(text, expected) != 0)
        fail_msg("printed:\n%sinstead of:\n%s", text, expected);
    free(text);
    grid_clear(&grid);
}

/* Two bytes or three in UTF-8 are one column of the terminal. */
static void text_is_aligned_by_what_the_terminal_shows(void **state)
{
    (void)state;
    check_print(GRID_TEXT, "name      bandwidth note\n"
                           "add       35.2 GB/s plain\n"
                           "sch\xc3\xb6n \xe2\x94\x82 1.23457e+06 a \"b\", c\n"
                           "none              - \n"
                           "endless           - x\n");
}

static void markdown_has_a_rule_that_says_which_columns_are_numbers(void **state)
{
    (void)state;
    check_print(GRID_MARKDOWN, "| name    |   bandwidth | note     |\n"
                               "|:--------|------------:|:---------|\n"
                               "| add     |   35.2 GB/s | plain    |\n"
                               "| sch\xc3\xb6n \xe2\x94\x82 | 1.23457e+06 | a \"b\", c |\n"
                               "| none    |           - |          |\n"
                               "| endless |           - | x        |\n");
}

static void csv_quotes_text_and_leaves_out_what_is_not_known(void **state)
{
    (void)state;
    check_print(GRID_CSV, "name,secret,bytes_per_s,count,note\n"
                          "\"add\",\"s\",3.52134568e+10,7,\"plain\"\n"
                          "\"sch\xc3\xb6n \xe2\x94\x82\",\"s\",1234567,7,\"a \"\"b\"\", c\"\n"
                          "\"none\",\"s\",,7,\"\"\n"
                          "\"endless\",\"s\",,7,\"x\"\n");
}

static void json_is_an_array_of_objects_with_null_for_what_is_not_known(void **state)
{
    (void)state;
    struct grid grid;
    make_grid(&grid);
    char *text = print(&grid, GRID_JSON);
    json_t *rows = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(rows), 4);
    const json_t *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
    assert_int_equal(json_object_size(first), COLUMNS);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "add");
    assert_string_equal(json_string_value(json_object_get(first, "secret")), "s");
    double rate = json_number_value(json_object_get(first, "bytes_per_s"));
    assert_true(fabs(rate / 35213456789.0 - 1) < 1e-8);
    assert_string_equal(json_string_value(json_object_get(second, "note")), "a \"b\", c");
    assert_true(json_is_null(json_object_get(json_array_get(rows, 2), "bytes_per_s")));
    assert_true(json_is_null(json_object_get(json_array_get(rows, 3), "bytes_per_s")));
    assert_true(json_is_number(json_object_get(json_array_get(rows, 3), "count")));
    json_decref(rows);
    free(text);
    grid_clear(&grid);
}

static void a_table_without_rows_is_its_titles_and_an_empty_array(void **state)
{
    (void)state;
    struct grid grid;
    grid_begin(&grid, columns, COLUMNS);
    char *csv = print(&grid, GRID_CSV), *json = print(&grid, GRID_JSON);
    assert_string_equal(csv, "name,secret,bytes_per_s,count,note\n");
    assert_string_equal(json, "[]\n");
    free(csv);
    free(json);
    grid_clear(&grid);
}

static void many_rows_keep_their_order(void **state)
{
    (void)state;
    struct grid grid;
    static const struct grid_column one = {"n", "n", true, false};
    grid_begin(&grid, &one, 1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(grid_number(&grid, i, NULL), STATUS_OK);
    char *csv = print(&grid, GRID_CSV), *at = csv + strlen("n\n");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(strtol(at, &at, 10), i);
    assert_string_equal(at, "\n");
    free(csv);
    grid_clear(&grid);
}

static void a_dress_is_found_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(grid_format_parse("text"), GRID_TEXT);
    assert_int_equal(grid_format_parse("md"), GRID_MARKDOWN);
    assert_int_equal(grid_format_parse("csv"), GRID_CSV);
    assert_int_equal(grid_format_parse("json"), GRID_JSON);
    assert_int_equal(grid_format_parse("html"), -1);
    assert_int_equal(grid_format_parse(""), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned_by_what_the_terminal_shows),
        cmocka_unit_test(markdown_has_a_rule_that_says_which_columns_are_numbers),
        cmocka_unit_test(csv_quotes_text_and_leaves_out_what_is_not_known),
        cmocka_unit_test(json_is_an_array_of_objects_with_null_for_what_is_not_known),
        cmocka_unit_test(a_table_without_rows_is_its_titles_and_an_empty_array),
        cmocka_unit_test(many_rows_keep_their_order),
        cmocka_unit_test(a_dress_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
