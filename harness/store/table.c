#include "harness/store/table.h"

#include "harness/store/scalar.h"

#include <stdlib.h>

enum { BUFFER_CHUNKS = 16 };

static enum status make_buffer(struct table *table)
{
    table->buffer_rows = BUFFER_CHUNKS * table->shape->chunk_rows;
    table->rows = malloc(table->buffer_rows * table->shape->row_bytes);
    table->type = store_row_type(table->shape);
    if (!table->rows || table->type < 0)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu rows of %s", table->buffer_rows,
                    table->shape->name);
    return STATUS_OK;
}

static enum status write_units(const struct table *table)
{
    char *units = store_units_json(table->shape);
    if (!units)
        return FAIL(STATUS_NO_MEMORY, "no memory for the units of %s", table->shape->name);
    enum status status = scalar_write_text_attribute(table->dataset, "units", units);
    free(units);
    return status;
}

/* The checksum of each chunk makes a damaged number an error instead of a measurement. */
static hid_t create_dataset(hid_t file, const struct table *table)
{
    const hsize_t unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &table->total, &unlimited);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (H5Pset_chunk(layout, 1, &table->shape->chunk_rows) >= 0 && H5Pset_fletcher32(layout) >= 0)
        dataset = H5Dcreate2(file, table->shape->name, table->type, space, H5P_DEFAULT, layout,
                             H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    return dataset;
}

enum status table_create(struct table *table, hid_t file, const struct store_table *shape,
                         hsize_t total)
{
    *table = (struct table){
        .shape = shape, .dataset = H5I_INVALID_HID, .type = H5I_INVALID_HID, .total = total};
    TRY(make_buffer(table));
    table->dataset = create_dataset(file, table);
    if (table->dataset < 0)
        return FAIL(STATUS_IO, "HDF5 refuses the table %s", shape->name);
    return write_units(table);
}

/* The selection of rows in a dataset, and the space of as many in memory; both to be closed. */
static herr_t select_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t *stored, hid_t *memory)
{
    *memory = H5Screate_simple(1, &count, NULL);
    *stored = H5Dget_space(dataset);
    return H5Sselect_hyperslab(*stored, H5S_SELECT_SET, &first, NULL, &count, NULL);
}

static enum status write_rows(const struct table *table)
{
    hid_t stored, memory;
    herr_t written = select_rows(table->dataset, table->done, table->used, &stored, &memory);
    if (written >= 0)
        written = H5Dwrite(table->dataset, table->type, memory, stored, H5P_DEFAULT, table->rows);
    H5Sclose(stored);
    H5Sclose(memory);
    if (written < 0)
        return FAIL(STATUS_IO, "HDF5 refuses row %llu of %s", (unsigned long long)table->done,
                    table->shape->name);
    return STATUS_OK;
}

enum status table_flush(struct table *table)
{
    if (table->used == 0)
        return STATUS_OK;
    TRY(write_rows(table));
    table->done += table->used;
    table->used = 0;
    return STATUS_OK;
}

enum status table_next(struct table *table, void **row)
{
    if (table->used == table->buffer_rows)
        TRY(table_flush(table));
    *row = table->rows + table->used++ * table->shape->row_bytes;
    return STATUS_OK;
}

static enum status check_columns(const struct table *table)
{
    hid_t stored = H5Dget_type(table->dataset);
    bool is_compound = H5Tget_class(stored) == H5T_COMPOUND;
    const char *missing = NULL;
    for (size_t i = 0; is_compound && !missing && i < table->shape->columns_count; i++)
        if (H5Tget_member_index(stored, table->shape->columns[i].name) < 0 &&
            !record_field_is_new(table->shape->columns[i].name))
            missing = table->shape->columns[i].name;
    H5Tclose(stored);
    if (!is_compound)
        return FAIL(STATUS_BAD_ARGUMENT, "/%s is missing or damaged, or is no table",
                    table->shape->name);
    if (missing)
        return FAIL(STATUS_BAD_ARGUMENT, "/%s lacks the column %s", table->shape->name, missing);
    return STATUS_OK;
}

/* Damage must not make us ask for memory without end. Deflate packs 1032 bytes into one at most. */
static enum status find_total(struct table *table)
{
    const double packing = 1032;
    hid_t space = H5Dget_space(table->dataset);
    bool is_list = H5Sget_simple_extent_ndims(space) == 1;
    if (is_list)
        H5Sget_simple_extent_dims(space, &table->total, NULL);
    H5Sclose(space);
    double bytes = (double)table->total * (double)table->shape->row_bytes;
    if (!is_list || bytes > packing * (double)H5Dget_storage_size(table->dataset))
        return FAIL(STATUS_BAD_ARGUMENT, "/%s claims %llu rows, more than its bytes can hold",
                    table->shape->name, (unsigned long long)table->total);
    return STATUS_OK;
}

enum status table_open(struct table *table, hid_t file, const struct store_table *shape)
{
    *table = (struct table){.shape = shape, .type = store_row_type(shape)};
    table->dataset = H5Dopen2(file, shape->name, H5P_DEFAULT);
    TRY(check_columns(table));
    return find_total(table);
}

enum status table_read(const struct table *table, hsize_t first, size_t count, void *rows)
{
    if (count == 0)
        return STATUS_OK;
    hid_t stored, memory;
    herr_t got = select_rows(table->dataset, first, count, &stored, &memory);
    if (got >= 0)
        got = H5Dread(table->dataset, table->type, memory, stored, H5P_DEFAULT, rows);
    H5Sclose(stored);
    H5Sclose(memory);
    if (got < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "rows %llu to %llu of /%s are damaged",
                    (unsigned long long)first, (unsigned long long)first + count - 1,
                    table->shape->name);
    return STATUS_OK;
}

void table_close(struct table *table)
{
    H5Dclose(table->dataset);
    H5Tclose(table->type);
    free(table->rows);
    table->rows = NULL;
}
