#include "harness/store/ceilings_table.h"

#include "harness/store/ceiling.h"
#include "harness/store/table.h"

#include <stdlib.h>
#include <string.h>

/* Units of rates are the row's own: its column `unit` says which. */
#define C(kind, name, unit)                                                                        \
    {                                                                                              \
#name, kind, offsetof(struct ceiling, name), sizeof(((struct ceiling *)0)->name), unit     \
    }
#define R(kind, name, unit)                                                                        \
    {                                                                                              \
#name, kind, offsetof(struct residual, name), sizeof(((struct residual *)0)->name), unit   \
    }

static const struct store_column ceiling_columns[] = {
    C('t', reading, ""),
    C('t', kind, ""),
    C('t', level, ""),
    C('t', mix, ""),
    C('t', dtype, ""),
    C('t', device, ""),
    C('t', unit, ""),
    C('t', basis, ""),
    C('t', status, ""),
    C('t', reason, ""),
    C('t', sharp, ""),
    C('d', value, "unit"),
    C('d', low, "unit"),
    C('d', high, "unit"),
    C('d', asymptote, "unit"),
    C('d', asymptote_low, "unit"),
    C('d', asymptote_high, "unit"),
    C('d', plateau, "unit"),
    C('d', plateau_low, "unit"),
    C('d', plateau_high, "unit"),
    C('d', sharpness, "1"),
    C('d', sharpness_low, "1"),
    C('d', sharpness_high, "1"),
    C('d', maximum, "unit"),
    C('d', ridge, "1/B"),
    C('d', misfit, "1"),
    C('i', threads, "1"),
    C('i', points, "1"),
    C('u', flags, "1"),
};
static const struct store_column residual_columns[] = {
    R('t', case_id, ""),      R('t', reading, ""),   R('t', excluded, ""),
    R('d', ops_per_s, "1/s"), R('d', residual, "1"),
};
const struct store_table store_ceilings = {"ceilings", sizeof(struct ceiling),
                                           sizeof(ceiling_columns) / sizeof(ceiling_columns[0]), 64,
                                           ceiling_columns};
const struct store_table store_residuals = {"residuals", sizeof(struct residual),
                                            sizeof(residual_columns) / sizeof(residual_columns[0]),
                                            256, residual_columns};

static enum status write_rows(hid_t file, const struct store_table *shape, const void *rows,
                              size_t count)
{
    struct table table;
    enum status status = table_create(&table, file, shape, count);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        void *row;
        status = table_next(&table, &row);
        if (status == STATUS_OK)
            memcpy(row, (const char *)rows + i * shape->row_bytes, shape->row_bytes);
    }
    if (status == STATUS_OK)
        status = table_flush(&table);
    table_close(&table);
    return status;
}

enum status ceilings_table_write(hid_t file, const struct run *run)
{
    if (run->ceilings_count == 0)
        return STATUS_OK;
    TRY(write_rows(file, &store_ceilings, run->ceilings, run->ceilings_count));
    return write_rows(file, &store_residuals, run->residuals, run->residuals_count);
}

/* Texts from a file may lack their closing zero. */
static void close_texts(const struct store_table *shape, char *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < shape->columns_count; c++)
            if (shape->columns[c].kind == 't')
                rows[i * shape->row_bytes + shape->columns[c].offset + shape->columns[c].bytes -
                     1] = '\0';
}

static enum status read_open(struct table *table, void **rows, size_t *count)
{
    const struct store_table *shape = table->shape;
    *count = (size_t)table->total;
    *rows = calloc(*count + 1, shape->row_bytes);
    if (!*rows)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu rows of %s", *count, shape->name);
    TRY(table_read(table, 0, *count, *rows));
    close_texts(shape, *rows, *count);
    return STATUS_OK;
}

static enum status read_rows(hid_t file, const struct store_table *shape, void **rows,
                             size_t *count)
{
    struct table table;
    if (H5Lexists(file, shape->name, H5P_DEFAULT) <= 0)
        return STATUS_OK;
    enum status status = table_open(&table, file, shape);
    if (status == STATUS_OK)
        status = read_open(&table, rows, count);
    table_close(&table);
    return status;
}

enum status ceilings_table_read(hid_t file, struct run *run)
{
    void *ceilings = NULL, *residuals = NULL;
    enum status status = read_rows(file, &store_ceilings, &ceilings, &run->ceilings_count);
    if (status == STATUS_OK)
        status = read_rows(file, &store_residuals, &residuals, &run->residuals_count);
    run->ceilings = ceilings;
    run->residuals = residuals;
    if (status != STATUS_OK)
        run_forget_fit(run);
    return status;
}
