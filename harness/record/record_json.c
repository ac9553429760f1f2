#include "harness/record/json_text.h"
#include "harness/record/record.h"
#include "harness/record/record_fields.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 1000000 };

/* Our own writer puts this where the params belong. No string can contain it, because quotes
 * inside strings are escaped, so that it is found once. */
static const char PARAMS_PLACE[] = "\"params\":{}";

enum field_kind { FIELD_TEXT, FIELD_PROSE, FIELD_REAL, FIELD_WHOLE };

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, room;
};

#define FIELD(name, kind)                                                                          \
    {#name, kind, offsetof(struct record, name), sizeof(((struct record *)0)->name)},
#define TEXT(name)        FIELD(name, FIELD_TEXT)
#define PROSE(name)       FIELD(name, FIELD_PROSE)
#define REAL(name, unit)  FIELD(name, FIELD_REAL)
#define WHOLE(name, unit) FIELD(name, FIELD_WHOLE)
static const struct field fields[] = {RECORD_FIELDS(TEXT, PROSE, REAL, WHOLE)};

/* A sample's columns. `lowest` is the least value allowed; seconds must lie above it. */
static const struct column {
    const char *key;
    bool whole;
    size_t offset;
    double lowest;
} columns[] = {
    {"seconds", false, offsetof(struct sample, seconds), 0},
    {"runs", false, offsetof(struct sample, runs), 0},
    {"start_seconds", false, offsetof(struct sample, start_seconds), -INFINITY},
    {"clock_hz", false, offsetof(struct sample, clock_hz), 0},
    {"foreign_load", false, offsetof(struct sample, foreign_load), -INFINITY},
    {"round", true, offsetof(struct sample, round), INT32_MIN},
    {"child", true, offsetof(struct sample, child), INT32_MIN},
};

enum {
    FIELDS_COUNT = sizeof(fields) / sizeof(fields[0]),
    COLUMNS_COUNT = sizeof(columns) / sizeof(columns[0]),
};

static enum status check_case_id(const struct record *record)
{
    struct record expected = *record;
    record_identify(&expected);
    if (strncmp(record->case_id, expected.case_id, sizeof(expected.case_id)) != 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "case id %.16s does not belong to these parameters of %.47s, whose id is %s: "
                    "call record_identify after the last change",
                    record->case_id, record->bench, expected.case_id);
    return STATUS_OK;
}

/* The text goes into the line as it stands, so it must be what the parser will make of it. */
static enum status check_params(const char *params, size_t room)
{
    char compacted[sizeof(((struct record *)0)->params)];
    size_t length = strnlen(params, room);
    json_t *value = json_loadb(params, length, JSON_REJECT_DUPLICATES, NULL);
    bool is_object = json_is_object(value);
    json_decref(value);
    if (length == room || !is_object ||
        json_text_compact(params, length, compacted, sizeof(compacted)) != length)
        return FAIL(STATUS_BAD_ARGUMENT, "the params \"%.*s\" are no compact JSON object",
                    (int)length, params);
    return STATUS_OK;
}

static enum status check_value(const char *key, double value, double lowest)
{
    if (!isfinite(value) || value < lowest)
        return FAIL(STATUS_BAD_ARGUMENT, "a record cannot hold %s = %g: void it with a reason", key,
                    value);
    return STATUS_OK;
}

static enum status check_seconds(double seconds)
{
    if (seconds <= 0)
        return FAIL(STATUS_BAD_ARGUMENT, "a sample took %g seconds: a time must be positive",
                    seconds);
    return STATUS_OK;
}

static enum status put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "%s cannot be written as JSON: it is no UTF-8, or memory "
                    "is short",
                    key);
    return STATUS_OK;
}

static enum status put_field(json_t *object, const struct field *field, const struct record *record)
{
    const char *at = (const char *)record + field->offset;
    bool is_text = field->kind == FIELD_TEXT || field->kind == FIELD_PROSE;
    if (is_text && strnlen(at, field->room) == field->room)
        return FAIL(STATUS_BAD_ARGUMENT, "the text of %s does not end", field->key);
    if (field->kind == FIELD_TEXT)
        return put(object, field->key, json_string(at));
    if (field->kind == FIELD_PROSE)
        return put(object, field->key, json_text_repair(at));
    if (field->kind == FIELD_WHOLE)
        return put(object, field->key, json_integer(*(const int32_t *)at));
    double value = *(const double *)at;
    TRY(check_value(field->key, value, 0));
    return put(object, field->key, json_real(value));
}

static enum status put_flags(json_t *object, uint32_t flags)
{
    json_t *names = json_array();
    TRY(put(object, "flags", names));
    for (int bit = 0; bit < FLAG_COUNT; bit++)
        if (flags & (1u << bit))
            json_array_append_new(names, json_string(record_flag_name(bit)));
    return STATUS_OK;
}

static enum status put_column(json_t *samples, const struct column *column,
                              const struct record *record)
{
    json_t *values = json_array();
    TRY(put(samples, column->key, values));
    for (size_t i = 0; i < record->samples_count; i++) {
        const char *at = (const char *)&record->samples[i] + column->offset;
        double value = column->whole ? *(const int32_t *)at : *(const double *)at;
        TRY(check_value(column->key, value, column->lowest));
        json_t *number = column->whole ? json_integer((json_int_t)value) : json_real(value);
        if (json_array_append_new(values, number) != 0)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu samples", record->samples_count);
    }
    return STATUS_OK;
}

static enum status put_samples(json_t *object, const struct record *record)
{
    if (record->samples_count > SAMPLES_MAX)
        return FAIL(STATUS_BAD_ARGUMENT, "%zu samples are more than a record holds (%d)",
                    record->samples_count, SAMPLES_MAX);
    for (size_t i = 0; i < record->samples_count; i++)
        TRY(check_seconds(record->samples[i].seconds));
    json_t *samples = json_object();
    TRY(put(object, "samples", samples));
    for (int i = 0; i < COLUMNS_COUNT; i++)
        TRY(put_column(samples, &columns[i], record));
    return STATUS_OK;
}

static enum status put_record(json_t *object, const struct record *record)
{
    TRY(put(object, "kind", json_string("slice")));
    TRY(put(object, "schema", json_integer(RECORD_SCHEMA)));
    for (int i = 0; i < FIELDS_COUNT; i++)
        TRY(put_field(object, &fields[i], record));
    TRY(put(object, "params", json_object()));
    TRY(put(object, "source", json_string(record_source_name(record->source))));
    TRY(put(object, "status", json_string(record_status_name(record->status))));
    TRY(put_flags(object, record->flags));
    TRY(put_samples(object, record));
    TRY(check_params(record->params, sizeof(record->params)));
    return check_case_id(record);
}

static enum status print_line(const json_t *object, const char *params, char **line)
{
    char *text = json_dumps(object, JSON_TEXT_FLAGS);
    if (!text)
        return FAIL(STATUS_NO_MEMORY, "no memory for a record as JSON");
    char *place = strstr(text, PARAMS_PLACE);
    int head = (int)(place - text) + (int)strlen(PARAMS_PLACE) - 2;
    int length = asprintf(line, "%.*s%s%s", head, text, params, text + head + 2);
    free(text);
    if (length < 0)
        return FAIL(STATUS_NO_MEMORY, "no memory for a record as JSON");
    return STATUS_OK;
}

enum status record_to_json(const struct record *record, char **line)
{
    *line = NULL;
    json_t *object = json_object();
    enum status status = put_record(object, record);
    if (status == STATUS_OK)
        status = print_line(object, record->params, line);
    json_decref(object);
    return status;
}

static enum status get(const json_t *object, const char *key, json_type type, json_t **value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a text",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number",  [JSON_NULL] = "null"};
    *value = json_object_get(object, key);
    if (!*value)
        return FAIL(STATUS_BAD_ARGUMENT, "the record has no \"%s\"", key);
    bool fits = type == JSON_REAL ? json_is_number(*value) : json_typeof(*value) == type;
    if (!fits)
        return FAIL(STATUS_BAD_ARGUMENT, "\"%s\" of the record is not %s", key, names[type]);
    return STATUS_OK;
}

static enum status to_int32(const char *key, const json_t *value, int32_t *to)
{
    json_int_t whole = json_integer_value(value);
    if (!json_is_integer(value) || whole < INT32_MIN || whole > INT32_MAX)
        return FAIL(STATUS_BAD_ARGUMENT, "\"%s\" of the record is no 32-bit integer", key);
    *to = (int32_t)whole;
    return STATUS_OK;
}

static enum status get_field(const json_t *object, const struct field *field, struct record *record)
{
    static const json_type types[] = {[FIELD_TEXT] = JSON_STRING,
                                      [FIELD_PROSE] = JSON_STRING,
                                      [FIELD_REAL] = JSON_REAL,
                                      [FIELD_WHOLE] = JSON_INTEGER};
    char *at = (char *)record + field->offset;
    json_t *value;
    if (record_field_is_new(field->key) && !json_object_get(object, field->key))
        return STATUS_OK; /* written by schema 1 */
    TRY(get(object, field->key, types[field->kind], &value));
    if (field->kind == FIELD_WHOLE)
        return to_int32(field->key, value, (int32_t *)at);
    if (field->kind == FIELD_REAL) {
        *(double *)at = json_number_value(value);
        return check_value(field->key, *(double *)at, 0);
    }
    if (json_string_length(value) >= field->room)
        return FAIL(STATUS_BAD_ARGUMENT, "\"%s\" of the record has %zu bytes; %zu fit", field->key,
                    json_string_length(value), field->room - 1);
    memcpy(at, json_string_value(value), json_string_length(value) + 1);
    return STATUS_OK;
}

static enum status get_name(const json_t *object, const char *key, int (*parse)(const char *),
                            int *found)
{
    json_t *value;
    TRY(get(object, key, JSON_STRING, &value));
    *found = parse(json_string_value(value));
    if (*found < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "\"%s\" of the record is \"%.40s\", which is unknown", key,
                    json_string_value(value));
    return STATUS_OK;
}

static enum status get_flags(const json_t *object, uint32_t *flags)
{
    json_t *names;
    TRY(get(object, "flags", JSON_ARRAY, &names));
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        int bit = name ? record_flag_parse(name) : -1;
        if (bit < 0)
            return FAIL(STATUS_BAD_ARGUMENT, "the record has an unknown flag \"%.40s\"",
                        name ? name : "");
        *flags |= 1u << bit;
    }
    return STATUS_OK;
}

static enum status get_column(const json_t *samples, const struct column *column,
                              struct record *record)
{
    json_t *values;
    TRY(get(samples, column->key, JSON_ARRAY, &values));
    if (json_array_size(values) != record->samples_count)
        return FAIL(STATUS_BAD_ARGUMENT, "the record has %zu \"%s\" for %zu samples",
                    json_array_size(values), column->key, record->samples_count);
    for (size_t i = 0; i < record->samples_count; i++) {
        const json_t *value = json_array_get(values, i);
        char *at = (char *)&record->samples[i] + column->offset;
        if (column->whole) {
            TRY(to_int32(column->key, value, (int32_t *)at));
            continue;
        }
        if (!json_is_number(value))
            return FAIL(STATUS_BAD_ARGUMENT, "\"%s\" of a sample is no number", column->key);
        *(double *)at = json_number_value(value);
        TRY(check_value(column->key, *(double *)at, column->lowest));
    }
    return STATUS_OK;
}

static enum status get_samples(const json_t *object, struct record *record)
{
    json_t *samples, *seconds;
    TRY(get(object, "samples", JSON_OBJECT, &samples));
    TRY(get(samples, "seconds", JSON_ARRAY, &seconds));
    size_t count = json_array_size(seconds);
    if (count > SAMPLES_MAX)
        return FAIL(STATUS_BAD_ARGUMENT, "%zu samples are more than a record holds (%d)", count,
                    SAMPLES_MAX);
    if (count == 0)
        return STATUS_OK;
    record->samples = calloc(count, sizeof(*record->samples));
    if (!record->samples)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu samples", count);
    record->samples_count = record->samples_room = count;
    for (int i = 0; i < COLUMNS_COUNT; i++)
        TRY(get_column(samples, &columns[i], record));
    for (size_t i = 0; i < count; i++)
        TRY(check_seconds(record->samples[i].seconds));
    return STATUS_OK;
}

static enum status get_params(const json_t *object, const char *line, size_t length,
                              struct record *record)
{
    json_t *params;
    TRY(get(object, "params", JSON_OBJECT, &params));
    const char *text = json_text_member(line, line + length, "params");
    if (!text)
        return FAIL(STATUS_BAD_ARGUMENT, "the key \"params\" of the record is spelt with escapes");
    size_t room = sizeof(record->params);
    size_t used = json_text_compact(text, json_text_object_length(text), record->params, room);
    if (used >= room)
        return FAIL(STATUS_BAD_ARGUMENT, "\"params\" of the record has %zu bytes; %zu fit", used,
                    room - 1);
    return STATUS_OK;
}

static enum status get_schema(const json_t *object)
{
    json_t *kind, *schema;
    TRY(get(object, "kind", JSON_STRING, &kind));
    if (strcmp(json_string_value(kind), "slice") != 0)
        return FAIL(STATUS_BAD_ARGUMENT, "a line of kind \"%.40s\" is no record",
                    json_string_value(kind));
    TRY(get(object, "schema", JSON_INTEGER, &schema));
    if (json_integer_value(schema) < 1 || json_integer_value(schema) > RECORD_SCHEMA)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "the record is made by schema %lld, this ridge reads up to %d: update ridge",
                    (long long)json_integer_value(schema), RECORD_SCHEMA);
    return STATUS_OK;
}

static enum status get_record(const json_t *object, const char *line, size_t length,
                              struct record *record)
{
    int source, outcome;
    TRY(get_schema(object));
    for (int i = 0; i < FIELDS_COUNT; i++)
        TRY(get_field(object, &fields[i], record));
    TRY(get_name(object, "source", record_source_parse, &source));
    TRY(get_name(object, "status", record_status_parse, &outcome));
    record->source = (enum source)source;
    record->status = (enum record_status)outcome;
    TRY(get_flags(object, &record->flags));
    TRY(get_params(object, line, length, record));
    TRY(check_case_id(record));
    return get_samples(object, record);
}

enum status record_from_json(const char *line, size_t length, struct record *record)
{
    *record = (struct record){0};
    json_error_t error;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        json_decref(object);
        return FAIL(STATUS_BAD_ARGUMENT, "a record must be a JSON object: %s (at byte %d)",
                    object ? "this is another value" : error.text, error.position);
    }
    enum status status = get_record(object, line, length, record);
    json_decref(object);
    if (status != STATUS_OK)
        record_clear(record);
    return status;
}
