#include "harness/measure/roof_book.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOF_SCHEMA = 1 };

void roof_book_close(struct roof_book *book)
{
    free(book->rows);
    *book = (struct roof_book){0};
}

void roof_book_default_path(const char *host, char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/')
        snprintf(path, size, "%s/ridge/roof-%s.json", state, host);
    else
        snprintf(path, size, "%s/.local/state/ridge/roof-%s.json", home ? home : "", host);
}

static void copy_text(const json_t *object, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));
    snprintf(text, size, "%s", value ? value : "");
}

static void read_row(const json_t *object, const char *created, struct roof_row *row)
{
    copy_text(object, "kind", row->kind, sizeof(row->kind));
    copy_text(object, "level", row->level, sizeof(row->level));
    copy_text(object, "mix", row->mix, sizeof(row->mix));
    copy_text(object, "dtype", row->dtype, sizeof(row->dtype));
    copy_text(object, "device", row->device, sizeof(row->device));
    copy_text(object, "created", row->created, sizeof(row->created));
    if (!row->created[0]) /* of an older file */
        snprintf(row->created, sizeof(row->created), "%s", created);
    copy_text(object, "unit", row->unit, sizeof(row->unit));
    copy_text(object, "basis", row->basis, sizeof(row->basis));
    row->threads = (int)json_integer_value(json_object_get(object, "threads"));
    row->value = json_number_value(json_object_get(object, "value"));
    row->low = json_number_value(json_object_get(object, "low"));
    row->high = json_number_value(json_object_get(object, "high"));
}

static enum status read_book(const json_t *root, struct roof_book *book)
{
    char levels[256];
    const json_t *rows = json_object_get(root, "ceilings");
    json_int_t schema = json_integer_value(json_object_get(root, "schema"));
    if (!json_is_array(rows) || schema < 1)
        return FAIL(STATUS_BAD_ARGUMENT, "%s is no roof file; 'ridge fit FILE' writes one",
                    book->path);
    if (schema > ROOF_SCHEMA)
        return FAIL(STATUS_BAD_ARGUMENT, "%s has schema %lld, this bench reads up to %d",
                    book->path, (long long)schema, ROOF_SCHEMA);
    copy_text(root, "created", book->created, sizeof(book->created));
    copy_text(root, "levels", levels, sizeof(levels));
    if (levels[0])
        TRY(levels_parse(levels, &book->levels));
    book->rows = calloc(json_array_size(rows) + 1, sizeof(*book->rows));
    if (!book->rows)
        return FAIL(STATUS_NO_MEMORY, "no memory for %s", book->path);
    for (size_t i = 0; i < json_array_size(rows); i++)
        read_row(json_array_get(rows, i), book->created, &book->rows[book->count++]);
    return STATUS_OK;
}

enum status roof_book_open(const char *path, struct roof_book *book)
{
    json_error_t error;
    char host[72] = "";
    *book = (struct roof_book){0};
    gethostname(host, sizeof(host) - 1);
    if (path)
        snprintf(book->path, sizeof(book->path), "%s", path);
    else
        roof_book_default_path(host, book->path, sizeof(book->path));
    if (!path && access(book->path, F_OK) != 0) {
        book->path[0] = '\0';
        return STATUS_OK;
    }
    json_t *root = json_load_file(book->path, 0, &error);
    if (!root)
        return FAIL(STATUS_BAD_ARGUMENT, "%s cannot be read as a roof file: %s", book->path,
                    error.text);
    enum status status = read_book(root, book);
    json_decref(root);
    if (status != STATUS_OK)
        roof_book_close(book);
    return status;
}

static bool is_of(const struct roof_row *row, const char *kind, const char *device,
                  const char *dtype, int threads)
{
    return row->value > 0 && row->threads == threads && strcmp(row->kind, kind) == 0 &&
           strcmp(row->device, device) == 0 && strcmp(row->dtype, dtype) == 0;
}

const struct roof_row *roof_book_compute(const struct roof_book *book, const char *device,
                                         const char *dtype, int threads)
{
    for (size_t i = 0; i < book->count; i++)
        if (is_of(&book->rows[i], "compute", device, dtype, threads) &&
            strcmp(book->rows[i].mix, "fma") == 0)
            return &book->rows[i];
    return NULL;
}

const struct roof_row *roof_book_product(const struct roof_book *book, const char *device,
                                         const char *dtype, int threads)
{
    const struct roof_row *highest = NULL;
    for (size_t i = 0; i < book->count; i++)
        if (is_of(&book->rows[i], "compute", device, dtype, threads) &&
            (!highest || book->rows[i].value > highest->value))
            highest = &book->rows[i];
    return highest;
}

const struct roof_row *roof_book_bandwidth(const struct roof_book *book, const char *level,
                                           const char *mix, const char *device, const char *dtype,
                                           int threads)
{
    for (size_t i = 0; i < book->count; i++) {
        const struct roof_row *row = &book->rows[i];
        if (is_of(row, "bandwidth", device, dtype, threads) && strcmp(row->level, level) == 0 &&
            strcmp(row->mix, mix) == 0)
            return row;
    }
    return NULL;
}
