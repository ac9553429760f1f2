#include "harness/store/store_types.h"

#include "harness/base/quantile.h"
#include "harness/record/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(row, kind, name, unit)                                                              \
    {#name, kind, offsetof(struct row, name), sizeof(((struct row *)0)->name), unit},
#define POINT_TEXT(name)        MEMBER(store_point, 't', name, "")
#define POINT_REAL(name, unit)  MEMBER(store_point, 'd', name, unit)
#define POINT_WHOLE(name, unit) MEMBER(store_point, 'i', name, unit)

/* clang-format off */
static const struct store_column point_columns[] = {
    RECORD_FIELDS(POINT_TEXT, POINT_TEXT, POINT_REAL, POINT_WHOLE)
    POINT_TEXT(params_json)
    POINT_TEXT(source)
    POINT_TEXT(status)
    POINT_TEXT(flags)
    MEMBER(store_point, 'u', flag_bits, "1")
    MEMBER(store_point, 'U', samples_offset, "1")
    MEMBER(store_point, 'U', samples_count, "1")
    POINT_REAL(median_s, "s")
    POINT_REAL(q1_s, "s")
    POINT_REAL(q3_s, "s")
    POINT_REAL(min_s, "s")
    POINT_REAL(bytes_per_s, "B/s")
    POINT_REAL(ops_per_s, "1/s")
    POINT_REAL(link_bytes_per_s, "B/s")
    POINT_REAL(intensity, "1/B")
};
static const struct store_column sample_columns[] = {
    MEMBER(sample, 'd', seconds, "s")
    MEMBER(sample, 'd', runs, "1")
    MEMBER(sample, 'd', start_seconds, "s")
    MEMBER(sample, 'd', clock_hz, "Hz")
    MEMBER(sample, 'd', foreign_load, "1")
    MEMBER(sample, 'i', round, "1")
    MEMBER(sample, 'i', child, "1")
};
static const struct store_column machine_columns[] = {
    MEMBER(store_machine, 't', host, "")
    MEMBER(store_machine, 't', cpu_model, "")
    MEMBER(store_machine, 'd', memory_bytes, "B")
    MEMBER(store_machine, 'i', thread_count, "1")
};
/* clang-format on */

#define TABLE(name, row, columns, chunk)                                                           \
    {                                                                                              \
        name, sizeof(struct row), sizeof(columns) / sizeof((columns)[0]), chunk, columns           \
    }

/* Chunks of about 50 kB: small runs stay small, and large ones need few chunks. */
const struct store_table store_points = TABLE("points", store_point, point_columns, 32);
const struct store_table store_samples = TABLE("samples", sample, sample_columns, 1024);
const struct store_table store_machines = TABLE("table", store_machine, machine_columns, 8);

static hid_t column_type(const struct store_column *column)
{
    if (column->kind == 'd')
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    if (column->kind == 'i')
        return H5Tcopy(H5T_NATIVE_INT32);
    if (column->kind == 'u')
        return H5Tcopy(H5T_NATIVE_UINT32);
    if (column->kind == 'U')
        return H5Tcopy(H5T_NATIVE_UINT64);
    hid_t text = H5Tcopy(H5T_C_S1);
    bool made = H5Tset_size(text, column->bytes) >= 0 && H5Tset_cset(text, H5T_CSET_UTF8) >= 0;
    if (made)
        return text;
    H5Tclose(text);
    return H5I_INVALID_HID;
}

hid_t store_row_type(const struct store_table *table)
{
    hid_t row = H5Tcreate(H5T_COMPOUND, table->row_bytes);
    bool made = row >= 0;
    for (size_t i = 0; made && i < table->columns_count; i++) {
        hid_t type = column_type(&table->columns[i]);
        made = H5Tinsert(row, table->columns[i].name, table->columns[i].offset, type) >= 0;
        H5Tclose(type);
    }
    if (made)
        return row;
    H5Tclose(row);
    return H5I_INVALID_HID;
}

char *store_units_json(const struct store_table *table)
{
    json_t *units = json_object();
    for (size_t i = 0; i < table->columns_count; i++)
        if (table->columns[i].unit[0])
            json_object_set_new(units, table->columns[i].name, json_string(table->columns[i].unit));
    char *text = json_dumps(units, JSON_TEXT_FLAGS);
    json_decref(units);
    return text;
}

static enum status fill_statistics(const struct record *point, struct store_point *row)
{
    size_t count = point->samples_count;
    row->intensity = point->bytes > 0 ? point->operations / point->bytes : 0;
    if (count == 0 || point->status != RECORD_ok) /* a wrong answer has no rate */
        return STATUS_OK;
    double *sorted = malloc(count * sizeof(*sorted));
    if (!sorted)
        return FAIL(STATUS_NO_MEMORY, "no memory to sort %zu samples", count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = point->samples[i].seconds;
    quantile_sort(sorted, count);
    row->median_s = quantile_of_sorted(sorted, count, 0.5);
    row->q1_s = quantile_of_sorted(sorted, count, 0.25);
    row->q3_s = quantile_of_sorted(sorted, count, 0.75);
    row->min_s = sorted[0];
    free(sorted);
    row->bytes_per_s = point->bytes / row->median_s;
    row->ops_per_s = point->operations / row->median_s;
    row->link_bytes_per_s = point->link_bytes / row->median_s;
    return STATUS_OK;
}

static enum status check_samples(const struct record *point)
{
    for (size_t i = 0; i < point->samples_count; i++)
        if (!(point->samples[i].seconds > 0 && isfinite(point->samples[i].seconds)))
            return FAIL(STATUS_BAD_ARGUMENT,
                        "sample %zu of case %s took %g seconds: void the point with a reason", i,
                        point->case_id, point->samples[i].seconds);
    return STATUS_OK;
}

enum status store_encode_point(const struct record *point, uint64_t samples_offset,
                               struct store_point *row)
{
    TRY(check_samples(point));
#define COPY_TEXT(name)        memcpy(row->name, point->name, sizeof(row->name));
#define COPY_VALUE(name, unit) row->name = point->name;
    RECORD_FIELDS(COPY_TEXT, COPY_TEXT, COPY_VALUE, COPY_VALUE)
    memcpy(row->params_json, point->params, sizeof(row->params_json));
    strncpy(row->source, record_source_name(point->source), sizeof(row->source) - 1);
    strncpy(row->status, record_status_name(point->status), sizeof(row->status) - 1);
    row->source[sizeof(row->source) - 1] = row->status[sizeof(row->status) - 1] = '\0';
    record_flags_join(point->flags, row->flags, sizeof(row->flags));
    row->flag_bits = point->flags;
    row->samples_offset = samples_offset;
    row->samples_count = point->samples_count;
    row->median_s = row->q1_s = row->q3_s = row->min_s = 0;
    row->bytes_per_s = row->ops_per_s = row->link_bytes_per_s = 0;
    return fill_statistics(point, row);
}

/* Takes the names apart in place. */
static enum status parse_flags(char *names, uint32_t *flags)
{
    char *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        int bit = record_flag_parse(name);
        if (bit < 0)
            return FAIL(STATUS_BAD_ARGUMENT, "the flag \"%s\" is unknown: update ridge", name);
        *flags |= 1u << bit;
    }
    return STATUS_OK;
}

static enum status check_decoded(const struct record *point)
{
    struct record expected = *point;
    record_identify(&expected);
    if (strcmp(expected.case_id, point->case_id) != 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "case id \"%s\" does not belong to its parameters, whose id is %s",
                    point->case_id, expected.case_id);
#define IGNORE(name)
#define CHECK_REAL(name, unit)                                                                     \
    if (!isfinite(point->name))                                                                    \
        return FAIL(STATUS_BAD_ARGUMENT, #name " of case %s is %g", point->case_id, point->name);
#define IGNORE_WHOLE(name, unit)
    RECORD_FIELDS(IGNORE, IGNORE, CHECK_REAL, IGNORE_WHOLE)
    return STATUS_OK;
}

enum status store_decode_point(const struct store_point *row, struct record *point)
{
#define TAKE_TEXT(name)                                                                            \
    memcpy(point->name, row->name, sizeof(point->name));                                           \
    point->name[sizeof(point->name) - 1] = '\0';
#define TAKE_VALUE(name, unit) point->name = row->name;
    RECORD_FIELDS(TAKE_TEXT, TAKE_TEXT, TAKE_VALUE, TAKE_VALUE)
    snprintf(point->params, sizeof(point->params), "%.*s", (int)sizeof(row->params_json) - 1,
             row->params_json);
    char source[sizeof(row->source) + 1] = "", outcome[sizeof(row->status) + 1] = "";
    memcpy(source, row->source, sizeof(row->source));
    memcpy(outcome, row->status, sizeof(row->status));
    int found_source = record_source_parse(source), found_status = record_status_parse(outcome);
    if (found_source < 0 || found_status < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "the source \"%s\" or status \"%s\" is unknown", source,
                    outcome);
    point->source = (enum source)found_source;
    point->status = (enum record_status)found_status;
    char flags[sizeof(row->flags) + 1] = "";
    memcpy(flags, row->flags, sizeof(row->flags));
    TRY(parse_flags(flags, &point->flags));
    return check_decoded(point);
}
