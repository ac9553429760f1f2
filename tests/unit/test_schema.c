/* results/SCHEMA.md names everything that a file holds. */
#include "harness/store/ceilings_table.h"
#include "harness/store/store_types.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int load_page(void **state)
{
    char *text = NULL;
    size_t room = 0;
    FILE *page = fopen(TEST_DATA_DIR "/../results/SCHEMA.md", "r");
    if (!page || getdelim(&text, &room, '\0', page) < 0)
        return -1;
    *state = text;
    return fclose(page);
}

static int free_page(void **state)
{
    free(*state);
    return 0;
}

static void check_named(const char *text, const char *name)
{
    char quoted[128];
    snprintf(quoted, sizeof(quoted), "`%s`", name);
    if (!strstr(text, quoted))
        fail_msg("results/SCHEMA.md does not mention %s", quoted);
}

static void check_columns_named(const char *text, const struct store_table *table)
{
    for (size_t i = 0; i < table->columns_count; i++)
        check_named(text, table->columns[i].name);
}

static void every_column_is_named(void **state)
{
    check_columns_named(*state, &store_points);
    check_columns_named(*state, &store_samples);
    check_columns_named(*state, &store_machines);
    check_columns_named(*state, &store_ceilings);
    check_columns_named(*state, &store_residuals);
}

static void every_source_and_status_is_named(void **state)
{
    for (int i = 0; i < SOURCE_COUNT; i++)
        check_named(*state, record_source_name((enum source)i));
    for (int i = 0; i < RECORD_STATUS_COUNT; i++)
        check_named(*state, record_status_name((enum record_status)i));
}

static void every_flag_is_explained_in_the_order_of_its_bits(void **state)
{
    const char *text = *state, *last = text;
    for (int i = 0; i < FLAG_COUNT; i++) {
        char row[400];
        snprintf(row, sizeof(row), "| `%s` | %s |", record_flag_name((enum record_flag_bit)i),
                 record_flag_text((enum record_flag_bit)i));
        const char *at = strstr(text, row);
        if (!at || at < last)
            fail_msg("results/SCHEMA.md lacks, or has in the wrong place, the row %s", row);
        last = at;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_is_named),
        cmocka_unit_test(every_source_and_status_is_named),
        cmocka_unit_test(every_flag_is_explained_in_the_order_of_its_bits),
    };
    return cmocka_run_group_tests(tests, load_page, free_page);
}
