/* A table in four dresses: text for a terminal, Markdown, CSV and JSON. A cell holds what people
 * read and what programs read: "35.2 GB/s" and 35213456789.0 (SI, no prefix). */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum grid_format { GRID_TEXT, GRID_MARKDOWN, GRID_CSV, GRID_JSON, GRID_FORMAT_COUNT };

struct grid_column {
    const char *key;   /* of JSON and CSV, with the unit: "bytes_per_s" */
    const char *title; /* of text and Markdown: "bandwidth" */
    bool is_number;    /* right-aligned; JSON number */
    bool is_hidden;    /* only in CSV and JSON */
};

struct grid {
    const struct grid_column *columns;
    size_t columns_count;
    struct grid_cell *cells; /* owned; row by row */
    size_t cells_count, cells_room;
};

C_API_BEGIN

void grid_begin(struct grid *grid, const struct grid_column *columns, size_t columns_count);
void grid_clear(struct grid *grid);

/* The next cell of the row, left to right. A number that is not finite is empty (null in JSON);
 * `pretty` NULL: printed with up to six digits. Text is copied. */
enum status grid_text(struct grid *grid, const char *text);
enum status grid_number(struct grid *grid, double number, const char *pretty);

/* Prints all rows. JSON is an array of objects. */
enum status grid_print(const struct grid *grid, enum grid_format format, FILE *file);

/* -1 for an unknown name: text, md, csv, json. */
int grid_format_parse(const char *name);

C_API_END
