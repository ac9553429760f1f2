#include "harness/show/grid.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct grid_cell {
    char *text;    /* owned; what people read */
    double number; /* NAN where the cell is text or empty */
};

static const char *const format_names[] = {
    [GRID_TEXT] = "text", [GRID_MARKDOWN] = "md", [GRID_CSV] = "csv", [GRID_JSON] = "json"};

int grid_format_parse(const char *name)
{
    for (int i = 0; i < GRID_FORMAT_COUNT; i++)
        if (strcmp(format_names[i], name) == 0)
            return i;
    return -1;
}

void grid_begin(struct grid *grid, const struct grid_column *columns, size_t columns_count)
{
    *grid = (struct grid){.columns = columns, .columns_count = columns_count};
}

void grid_clear(struct grid *grid)
{
    for (size_t i = 0; i < grid->cells_count; i++)
        free(grid->cells[i].text);
    free(grid->cells);
    *grid = (struct grid){0};
}

static enum status add_cell(struct grid *grid, const char *text, double number)
{
    if (grid->cells_count == grid->cells_room) {
        size_t room = grid->cells_room ? 2 * grid->cells_room : 256;
        struct grid_cell *grown = realloc(grid->cells, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for a table of %zu cells", room);
        grid->cells = grown;
        grid->cells_room = room;
    }
    char *copy = strdup(text);
    if (!copy)
        return FAIL(STATUS_NO_MEMORY, "no memory for a table");
    grid->cells[grid->cells_count++] = (struct grid_cell){.text = copy, .number = number};
    return STATUS_OK;
}

enum status grid_text(struct grid *grid, const char *text)
{
    return add_cell(grid, text, (double)NAN);
}

enum status grid_number(struct grid *grid, double number, const char *pretty)
{
    char plain[32] = "-";
    if (!isfinite(number))
        return add_cell(grid, plain, (double)NAN);
    if (!pretty)
        snprintf(plain, sizeof(plain), "%.6g", number);
    return add_cell(grid, pretty ? pretty : plain, number);
}

/* Columns of a terminal that UTF-8 text takes: its bytes but the continuation bytes. */
static int display_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int column_width(const struct grid *grid, size_t column)
{
    int widest = display_width(grid->columns[column].title);
    for (size_t i = column; i < grid->cells_count; i += grid->columns_count) {
        int width = display_width(grid->cells[i].text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_padded(FILE *file, const char *text, int width, bool is_right, bool is_last)
{
    int space = width - display_width(text);
    if (is_right)
        fprintf(file, "%*s%s", space, "", text);
    else
        fprintf(file, "%s%*s", text, is_last ? 0 : space, "");
}

/* row < 0: the titles. */
static void print_row(const struct grid *grid, long row, const int *widths, bool is_markdown,
                      FILE *file)
{
    const char *before = is_markdown ? "| " : "";
    size_t last = grid->columns_count - 1;
    while (last > 0 && grid->columns[last].is_hidden)
        last--;
    for (size_t c = 0; c <= last; c++) {
        const struct grid_column *column = &grid->columns[c];
        if (column->is_hidden)
            continue;
        const char *text =
            row < 0 ? column->title : grid->cells[(size_t)row * grid->columns_count + c].text;
        fputs(before, file);
        print_padded(file, text, widths[c], column->is_number, c == last && !is_markdown);
        before = is_markdown ? " | " : " ";
    }
    fputs(is_markdown ? " |\n" : "\n", file);
}

static void print_rule(const struct grid *grid, const int *widths, FILE *file)
{
    fputc('|', file);
    for (size_t c = 0; c < grid->columns_count; c++) {
        if (grid->columns[c].is_hidden)
            continue;
        fputc(grid->columns[c].is_number ? '-' : ':', file);
        for (int i = 0; i < widths[c]; i++)
            fputc('-', file);
        fputs(grid->columns[c].is_number ? ":|" : "-|", file);
    }
    fputc('\n', file);
}

static enum status print_aligned(const struct grid *grid, bool is_markdown, FILE *file)
{
    int *widths = calloc(grid->columns_count, sizeof(*widths));
    if (!widths)
        return FAIL(STATUS_NO_MEMORY, "no memory for a table");
    for (size_t c = 0; c < grid->columns_count; c++)
        widths[c] = column_width(grid, c);
    print_row(grid, -1, widths, is_markdown, file);
    if (is_markdown)
        print_rule(grid, widths, file);
    for (size_t r = 0; r < grid->cells_count / grid->columns_count; r++)
        print_row(grid, (long)r, widths, is_markdown, file);
    free(widths);
    return STATUS_OK;
}

/* RFC 4180: quotes around text, doubled inside it. */
static void print_csv_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static enum status print_csv(const struct grid *grid, FILE *file)
{
    for (size_t c = 0; c < grid->columns_count; c++)
        fprintf(file, "%s%s", c ? "," : "", grid->columns[c].key);
    for (size_t i = 0; i < grid->cells_count; i++) {
        const struct grid_cell *cell = &grid->cells[i];
        fputs(i % grid->columns_count ? "," : "\n", file);
        if (!grid->columns[i % grid->columns_count].is_number)
            print_csv_text(cell->text, file);
        else if (isfinite(cell->number))
            fprintf(file, "%.9g", cell->number);
    }
    fputc('\n', file);
    return STATUS_OK;
}

static enum status print_json(const struct grid *grid, FILE *file)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < grid->cells_count; i += grid->columns_count) {
        json_t *row = json_object();
        for (size_t c = 0; c < grid->columns_count; c++) {
            const struct grid_cell *cell = &grid->cells[i + c];
            json_t *value = !grid->columns[c].is_number ? json_string(cell->text)
                            : isfinite(cell->number)    ? json_real(cell->number)
                                                        : json_null();
            json_object_set_new(row, grid->columns[c].key, value);
        }
        json_array_append_new(rows, row);
    }
    int failed =
        json_dumpf(rows, file, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(rows);
    fputc('\n', file);
    return failed ? FAIL(STATUS_IO, "cannot write the table as JSON") : STATUS_OK;
}

enum status grid_print(const struct grid *grid, enum grid_format format, FILE *file)
{
    switch (format) {
    case GRID_CSV: return print_csv(grid, file);
    case GRID_JSON: return print_json(grid, file);
    default: return print_aligned(grid, format == GRID_MARKDOWN, file);
    }
}
