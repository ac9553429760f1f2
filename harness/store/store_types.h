/* The tables of a file, as C structs and as HDF5 types. The struct of a row has the same layout in
 * memory and on disk (packed, little endian on all machines that we know), so that HDF5 copies
 * rows without converting them. */
#pragma once

#include "harness/record/record.h"
#include "harness/record/record_fields.h"

#include <hdf5.h>

#define STORE_ROW_TEXT(name)        char name[sizeof(((struct record *)0)->name)];
#define STORE_ROW_REAL(name, unit)  double name;
#define STORE_ROW_WHOLE(name, unit) int32_t name;
#define STORE_FLAG_ROOM(name, text) +sizeof(#name)

/* One row of /points. */
struct __attribute__((packed)) store_point {
    RECORD_FIELDS(STORE_ROW_TEXT, STORE_ROW_TEXT, STORE_ROW_REAL, STORE_ROW_WHOLE)
    char params_json[sizeof(((struct record *)0)->params)];
    char source[16], status[16];
    char flags[0 RECORD_FLAGS(STORE_FLAG_ROOM)]; /* all names and a separator behind each */
    uint32_t flag_bits;
    uint64_t samples_offset, samples_count; /* rows of /samples */
    double median_s, q1_s, q3_s, min_s;     /* of the samples' seconds; 0 where it is not ok */
    double bytes_per_s, ops_per_s, link_bytes_per_s; /* at the median; 0 where it is not ok */
    double intensity; /* operations per byte; 0 where no byte is counted */
};

/* One row of /machines/table. */
struct __attribute__((packed)) store_machine {
    char host[72], cpu_model[128];
    double memory_bytes;
    int32_t thread_count;
};

/* A column of a table. */
struct store_column {
    const char *name;
    char kind; /* 't' text, 'd' double, 'i' int32, 'u' uint32, 'U' uint64 */
    size_t offset, bytes;
    const char *unit; /* "" for text */
};

struct store_table {
    const char *name; /* of the dataset */
    size_t row_bytes, columns_count;
    hsize_t chunk_rows;
    const struct store_column *columns;
};

C_API_BEGIN

extern const struct store_table store_points, store_samples, store_machines;

/* The compound type of a table, on disk and in memory; negative where HDF5 refuses. */
hid_t store_row_type(const struct store_table *table);

/* {"bytes":"B",...}: the units of a table's columns; the caller frees. NULL: memory is short. */
char *store_units_json(const struct store_table *table);

/* A point as a row, its samples lying at samples_offset. */
enum status store_encode_point(const struct record *point, uint64_t samples_offset,
                               struct store_point *row);

/* The inverse, without the samples. STATUS_BAD_ARGUMENT for a row that no record can be. */
enum status store_decode_point(const struct store_point *row, struct record *point);

C_API_END
