/* A compound dataset, row by row: extendible and chunked on disk, one buffer of rows in memory. */
#pragma once

#include "harness/store/store_types.h"

struct table {
    const struct store_table *shape;
    hid_t dataset, type;      /* the type of a row in memory */
    char *rows;               /* owned: a buffer of buffer_rows rows; only for writing */
    size_t buffer_rows, used; /* rows in the buffer */
    hsize_t done;             /* rows of the dataset before the buffer */
    hsize_t total;            /* rows of the dataset */
};

C_API_BEGIN

/* A new dataset of that many rows, with its units as an attribute. The caller calls table_close,
 * also after failure. */
enum status table_create(struct table *table, hid_t file, const struct store_table *shape,
                         hsize_t total);

/* The place of the next row, to be filled as a whole; valid until the next call. */
enum status table_next(struct table *table, void **row);

/* Writes what is in the buffer. */
enum status table_flush(struct table *table);

/* Opens one for reading. STATUS_BAD_ARGUMENT where it is absent, lacks a column, or claims more
 * rows than its bytes can hold. table_close also after failure. */
enum status table_open(struct table *table, hid_t file, const struct store_table *shape);

/* Reads `count` rows from row `first` on into `rows`, which the caller owns. */
enum status table_read(const struct table *table, hsize_t first, size_t count, void *rows);

void table_close(struct table *table);

C_API_END
