/* ridge show FILE staircase: bandwidth over the working set, with the levels marked: one row per
 * size of the longest size sweep for that dtype and thread count. */
#include "harness/base/format.h"
#include "harness/model/params.h"
#include "harness/model/readings.h"
#include "harness/show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_COLUMNS = 36 };

/* The readings of one sweep, ascending in size; pointers into `readings`. */
struct sweep {
    const struct reading **steps; /* owned */
    size_t count;
};

static double size_of(const struct reading *r)
{
    return params_number(r->point, "array_bytes", 0);
}

static bool is_same_sweep(const struct reading *a, const struct reading *b)
{
    return reading_same_part(a, b) && strcmp(a->mix, b->mix) == 0 && !reading_is_ladder(a) &&
           size_of(a) > 0 && size_of(b) > 0;
}

static size_t length_of(const struct readings *readings, const struct reading *of)
{
    size_t length = 0;
    for (size_t i = 0; i < readings->count; i++)
        length += is_same_sweep(&readings->list[i], of);
    return length;
}

static bool is_asked(const struct reading *r, const struct show_options *options)
{
    return show_device_fits(options, NULL, r->point->device) &&
           (!options->dtype || strcmp(options->dtype, r->point->dtype) == 0) &&
           (!options->threads || options->threads == r->point->threads);
}

static int compare_sizes(const void *a, const void *b)
{
    double x = size_of(*(const struct reading *const *)a);
    double y = size_of(*(const struct reading *const *)b);
    return (x > y) - (x < y);
}

/* The longest; of equals the one with the most threads. */
static enum status find_sweep(const struct readings *readings, const struct show_options *options,
                              struct sweep *sweep)
{
    const struct reading *best = NULL;
    size_t longest = 1;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *r = &readings->list[i];
        size_t length = is_asked(r, options) ? length_of(readings, r) : 0;
        bool has_more_threads = best && r->point->threads > best->point->threads;
        if (length > longest || (best && length == longest && has_more_threads)) {
            best = r;
            longest = length;
        }
    }
    if (!best)
        return FAIL(STATUS_BAD_ARGUMENT, "no size sweep in this run: it needs points of "
                                         "bench_vector_add with several array_bytes");
    sweep->steps = calloc(longest + 1, sizeof(const struct reading *));
    if (!sweep->steps)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu sizes", longest);
    for (size_t i = 0; i < readings->count; i++)
        if (is_same_sweep(&readings->list[i], best))
            sweep->steps[sweep->count++] = &readings->list[i];
    qsort(sweep->steps, sweep->count, sizeof(const struct reading *), compare_sizes);
    return STATUS_OK;
}

static double rate_of(const struct reading *r)
{
    return r->point->bytes / r->summary.typical.value;
}

/* ---- For people: bars, in eighths of a column, on a logarithmic scale from a quarter of the
 * lowest to the highest, so that each level's step is seen. */

static void print_bar(FILE *file, double part, int columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int filled = (int)lround(part * columns * 8);
    for (int i = 0; i < filled / 8; i++)
        fputs("█", file);
    fputs(eighths[filled % 8], file);
    for (int i = filled / 8 + (filled % 8 != 0); i < columns; i++)
        fputc(' ', file);
}

static void print_bars(const struct sweep *sweep, FILE *file)
{
    double least = INFINITY, most = 0;
    const struct record *first = sweep->steps[0]->point;
    char part[64];
    for (size_t i = 0; i < sweep->count; i++) {
        least = fmin(least, rate_of(sweep->steps[i]));
        most = fmax(most, rate_of(sweep->steps[i]));
    }
    fprintf(file, "Staircase: %s %s, bandwidth over the working set\n\n", sweep->steps[0]->mix,
            show_part(part_of_point(first), part, sizeof(part)));
    for (size_t i = 0; i < sweep->count; i++) {
        const struct reading *r = sweep->steps[i];
        char size[32], rate[32], width[16], marks[16];
        double half = summary_half_width(&r->summary);
        snprintf(width, sizeof(width), half > 1 ? ">100%%" : "%.1f%%", 100 * half);
        fprintf(file, "%9s %-6s ", format_bytes(r->point->working_set_bytes, size, sizeof(size)),
                r->level[0] ? r->level : "-");
        print_bar(file, log(4 * rate_of(r) / least) / log(4 * most / least), BAR_COLUMNS);
        fprintf(file, " %9s +-%-6s %s\n",
                format_measured(rate_of(r), half, "B/s", rate, sizeof(rate)), width,
                record_flags_marks(r->point->flags, marks, sizeof(marks)));
    }
}

/* ---- For programs. */

static const struct grid_column columns[] = {
    {"working_set_bytes", "working set", true, false},
    {"array_bytes", "array", true, true},
    {"level", "level", false, false},
    {"mix", "access", false, false},
    {"dtype", "dtype", false, false},
    {"device", "device", false, true},
    {"threads", "threads", true, false},
    {"bytes_per_s", "bandwidth", true, false},
    {"half_width", "+-95%", true, false},
    {"flags", "flags", false, false},
};

static enum status add_step(struct grid *grid, const struct reading *r)
{
    char pretty[32], flags[256];
    double half = summary_half_width(&r->summary);
    TRY(grid_number(grid, r->point->working_set_bytes,
                    format_bytes(r->point->working_set_bytes, pretty, sizeof(pretty))));
    TRY(grid_number(grid, size_of(r), NULL));
    TRY(grid_text(grid, r->level));
    TRY(grid_text(grid, r->mix));
    TRY(grid_text(grid, r->point->dtype));
    TRY(grid_text(grid, r->point->device));
    TRY(grid_number(grid, r->point->threads, NULL));
    TRY(grid_number(grid, rate_of(r),
                    format_measured(rate_of(r), half, "B/s", pretty, sizeof(pretty))));
    TRY(grid_number(grid, half, NULL));
    return grid_text(grid, record_flags_join(r->point->flags, flags, sizeof(flags)));
}

static enum status print_as_table(const struct sweep *sweep, enum grid_format format, FILE *file)
{
    struct grid grid;
    enum status status = STATUS_OK;
    grid_begin(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; status == STATUS_OK && i < sweep->count; i++)
        status = add_step(&grid, sweep->steps[i]);
    if (status == STATUS_OK)
        status = grid_print(&grid, format, file);
    grid_clear(&grid);
    return status;
}

enum status show_staircase(const struct run *run, const struct show_options *options, FILE *file)
{
    struct readings readings;
    struct sweep sweep = {0};
    uint32_t flags = 0;
    enum status status = readings_of(run, &readings);
    if (status == STATUS_OK)
        status = find_sweep(&readings, options, &sweep);
    if (status == STATUS_OK && options->format != GRID_TEXT) {
        status = print_as_table(&sweep, options->format, file);
    } else if (status == STATUS_OK) {
        print_bars(&sweep, file);
        for (size_t i = 0; i < sweep.count; i++)
            flags |= sweep.steps[i]->point->flags;
        show_flags(flags, options, file);
    }
    free(sweep.steps);
    readings_clear(&readings);
    return status;
}
