/* ridge show FILE roofline: operations per second over operations per byte, both logarithmic. */
#include "harness/base/format.h"
#include "harness/model/ceilings.h"
#include "harness/model/params.h"
#include "harness/model/place.h"
#include "harness/model/summary.h"
#include "harness/show/canvas.h"
#include "harness/show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_COLUMNS = 11, PLOT_COLUMNS = 69, PLOT_ROWS = 17, MOST_ROOFS = LEVELS_MAX + 2 };
enum { COLOR_COMPUTE = 31, COLOR_STREAM = 37 };
static const double LEAST_INTENSITY = 1.0 / 16, MOST_INTENSITY = 1024;

struct roof {
    const char *level;               /* "shared", "L1" .. "memory" */
    const struct ceiling *bandwidth; /* NULL: not determined, its points are shown */
    char mark;
    int color;
};

struct dot {
    double intensity, ops_per_s, half_width;
    const struct record *point;
    const char *level;
};

/* Everything that one chart shows. */
struct chart {
    struct level_map map;
    struct part part;
    const struct ceiling *compute; /* its texts are the part's */
    struct roof roofs[MOST_ROOFS];
    int roofs_count;
    struct dot *dots; /* owned */
    size_t dots_count;
    double least_ops, most_ops; /* of the vertical axis */
    uint32_t flags;
};

/* Of a device's hierarchy, from the nearest level on; NULL behind memory. */
static const char *level_name(const struct chart *chart, const char *device, int index)
{
    const struct levels *levels = level_map_get(&chart->map, device);
    return index == 0                   ? "shared"
           : index <= levels->count     ? levels->level[index - 1].name
           : index == levels->count + 1 ? "memory"
                                        : NULL;
}

static bool has_slope(const struct run *run, const struct chart *chart, struct part part)
{
    const char *level;
    for (int i = 0; (level = level_name(chart, part.device, i)); i++)
        if (ceilings_read(run, level, part))
            return true;
    return false;
}

/* One with slopes before one without, then a GPU before the cpu, then more threads. */
static bool is_better(const struct run *run, const struct chart *chart, const struct ceiling *c)
{
    const struct ceiling *best = chart->compute;
    if (!best)
        return true;
    const int slope = has_slope(run, chart, part_of_ceiling(c));
    const int best_slope = has_slope(run, chart, part_of_ceiling(best));
    const int gpu = record_device_is_gpu(c->device), best_gpu = record_device_is_gpu(best->device);
    return slope != best_slope ? slope > best_slope
           : gpu != best_gpu   ? gpu > best_gpu
                               : strcmp(c->device, best->device) == 0 && c->threads > best->threads;
}

static void choose(const struct run *run, const struct show_options *options, struct chart *chart)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        bool fits = c == ceilings_compute(run, part_of_ceiling(c)) &&
                    (!options->device || strcmp(options->device, c->device) == 0) &&
                    (!options->dtype || strcmp(options->dtype, c->dtype) == 0) &&
                    (!options->threads || options->threads == c->threads);
        if (fits && is_better(run, chart, c))
            chart->compute = c;
    }
    if (chart->compute)
        chart->part = part_of_ceiling(chart->compute);
}

static bool has_dots(const struct chart *chart, const char *level)
{
    for (size_t i = 0; i < chart->dots_count; i++)
        if (strcmp(chart->dots[i].level, level) == 0)
            return true;
    return false;
}

static void find_roofs(const struct run *run, struct chart *chart)
{
    static const struct {
        char mark;
        int color;
    } looks[MOST_ROOFS] = {{'s', 31}, {'1', 36}, {'2', 32}, {'3', 33}, {'4', 34}, {'5', 34}};
    const char *level;
    for (int i = 0; (level = level_name(chart, chart->part.device, i)); i++) {
        const bool is_memory = strcmp(level, "memory") == 0;
        const struct ceiling *bandwidth = ceilings_read(run, level, chart->part);
        if (bandwidth || has_dots(chart, level))
            chart->roofs[chart->roofs_count++] = (struct roof){
                level, bandwidth, is_memory ? 'm' : looks[i].mark, is_memory ? 35 : looks[i].color};
    }
}

/* Rungs of the intensity ladder and streams; products stand in 'show ladder'. */
static enum status find_dots(const struct run *run, struct chart *chart)
{
    chart->dots = calloc(run->points_count + 1, sizeof(*chart->dots));
    if (!chart->dots)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu points", run->points_count);
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *p = &run->points[i];
        struct summary s;
        if (params_is_control(p) || params_is_product(p) || p->threads != chart->part.threads ||
            strcmp(p->dtype, chart->part.dtype) != 0 || !(p->operations > 0) || !(p->bytes > 0) ||
            strcmp(p->device, chart->part.device) != 0)
            continue;
        TRY(summary_of(p, &s));
        const char *level = place_of(p, &chart->map);
        if (!(s.typical.value > 0) || !level[0])
            continue;
        chart->flags |= p->flags;
        chart->dots[chart->dots_count++] =
            (struct dot){p->operations / p->bytes, p->operations / s.typical.value,
                         summary_half_width(&s), p, level};
    }
    return STATUS_OK;
}

/* Whole decades around what is drawn. */
static void find_range(struct chart *chart)
{
    double least = chart->compute->value, most = chart->compute->maximum;
    for (size_t i = 0; i < chart->dots_count; i++) {
        least = fmin(least, chart->dots[i].ops_per_s);
        most = fmax(most, chart->dots[i].ops_per_s);
    }
    chart->least_ops = pow(10, floor(log10(least)));
    chart->most_ops = pow(10, ceil(log10(most * 1.05)));
}

static enum status make_chart(const struct run *run, const struct show_options *options,
                              struct chart *chart)
{
    *chart = (struct chart){0};
    level_map_of(run, &chart->map);
    choose(run, options, chart);
    if (!chart->compute)
        return FAIL(
            STATUS_BAD_ARGUMENT,
            "no compute ceiling%s%s is determined in this run: it needs points of bench_intensity "
            "at "
            "high intensity, of 5 samples or more; 'ridge show FILE points' lists what it has",
            options->dtype ? " for " : "", options->dtype ? options->dtype : "");
    TRY(find_dots(run, chart));
    find_roofs(run, chart);
    find_range(chart);
    return STATUS_OK;
}

/* ---- Drawing. */

static double x_of(double intensity)
{
    return log(intensity / LEAST_INTENSITY) / log(MOST_INTENSITY / LEAST_INTENSITY);
}

static double y_of(const struct chart *chart, double ops_per_s)
{
    return log(ops_per_s / chart->least_ops) / log(chart->most_ops / chart->least_ops);
}

/* Op/byte; the highest intensity where the level's bandwidth is not known. */
static double ridge_of(const struct chart *chart, const struct roof *roof)
{
    return roof->bandwidth ? chart->compute->value / roof->bandwidth->value : MOST_INTENSITY;
}

/* From the left edge up the slope to the compute roof. */
static void draw_roof(const struct chart *chart, const struct roof *roof, struct canvas *canvas)
{
    double top = y_of(chart, chart->compute->value);
    if (roof->bandwidth)
        canvas_line(canvas, 0, y_of(chart, LEAST_INTENSITY * roof->bandwidth->value),
                    x_of(ridge_of(chart, roof)), top, roof->color);
}

static void draw(const struct chart *chart, struct canvas *canvas)
{
    double first_ridge = MOST_INTENSITY, first_dot = MOST_INTENSITY,
           top = y_of(chart, chart->compute->value);
    for (int i = 0; i < chart->roofs_count; i++) {
        draw_roof(chart, &chart->roofs[i], canvas);
        first_ridge = fmin(first_ridge, ridge_of(chart, &chart->roofs[i]));
    }
    for (size_t i = 0; first_ridge == MOST_INTENSITY && i < chart->dots_count; i++)
        first_dot = fmin(first_dot, chart->dots[i].intensity);
    canvas_line(canvas, x_of(fmax(LEAST_INTENSITY, fmin(first_ridge, first_dot))), top, 1, top,
                COLOR_COMPUTE);
    for (size_t i = 0; i < chart->dots_count; i++) {
        const struct dot *d = &chart->dots[i];
        bool is_ladder = strstr(d->point->params, "\"fmas\":") != NULL;
        for (int r = 0; r < chart->roofs_count; r++)
            if (strcmp(chart->roofs[r].level, d->level) == 0)
                canvas_mark(canvas, x_of(d->intensity), y_of(chart, d->ops_per_s),
                            is_ladder ? chart->roofs[r].mark : '+', chart->roofs[r].color);
    }
}

static void print_plot(const struct chart *chart, bool color, FILE *file)
{
    struct canvas canvas;
    canvas_begin(&canvas, PLOT_COLUMNS, PLOT_ROWS);
    draw(chart, &canvas);
    double decades = log10(chart->most_ops / chart->least_ops);
    for (int row = 0; row < PLOT_ROWS; row++) {
        char label[32] = "";
        for (int d = 0; d <= (int)decades; d++) {
            int at = (int)lround((1 - d / decades) * (PLOT_ROWS - 1));
            if (at == row)
                format_si(chart->least_ops * pow(10, d), "op/s", label, sizeof(label));
        }
        fprintf(file, "%*s│", LABEL_COLUMNS - 1, label);
        canvas_print_row(&canvas, row, color, file);
        fputc('\n', file);
    }
}

static void print_axis(FILE *file)
{
    static const double ticks[] = {1.0 / 16, 1.0 / 4, 1, 4, 16, 64, 256};
    static const char *const names[] = {"1/16", "1/4", "1", "4", "16", "64", "256"};
    char line[PLOT_COLUMNS + 16];
    memset(line, ' ', sizeof(line));
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        size_t at = (size_t)lround(x_of(ticks[i]) * (PLOT_COLUMNS - 1));
        memcpy(line + at, names[i], strlen(names[i]));
    }
    memcpy(line + PLOT_COLUMNS - 7, "op/byte", 8);
    fprintf(file, "%*s└", LABEL_COLUMNS - 1, "");
    for (int i = 0; i < PLOT_COLUMNS; i++)
        fputs("─", file);
    fprintf(file, "\n%*s%s\n", LABEL_COLUMNS, "", line);
}

static const char *roof_label(const struct ceiling *c, const char *unit, char *text, size_t size)
{
    return format_measured(c->value, ceilings_half_width(c), unit, text, size);
}

static void print_legend(const struct chart *chart, FILE *file)
{
    char text[32];
    for (int i = 0; i < chart->roofs_count; i++)
        fprintf(file, "%s%c %s %s", i ? "  " : "", chart->roofs[i].mark, chart->roofs[i].level,
                chart->roofs[i].bandwidth
                    ? roof_label(chart->roofs[i].bandwidth, "B/s", text, sizeof(text))
                    : "-");
    fprintf(file, "  + streams\n");
}

static void print_title(const struct chart *chart, FILE *file)
{
    char text[32], part[64], marks[16];
    const struct roof *last = NULL;
    for (int i = 0; i < chart->roofs_count; i++)
        last = chart->roofs[i].bandwidth ? &chart->roofs[i] : last;
    fprintf(file, "Roofline %s: compute %s +-%.1f%%", show_part(chart->part, part, sizeof(part)),
            roof_label(chart->compute, "op/s", text, sizeof(text)),
            100 * ceilings_half_width(chart->compute));
    if (last)
        fprintf(file, ", ridge at %.3g op/B", ridge_of(chart, last));
    fprintf(file, " %s\n", record_flags_marks(chart->flags, marks, sizeof(marks)));
}

/* ---- The same as a table. */

static const struct grid_column columns[] = {
    {"series", "series", false, false},       {"level", "level", false, false},
    {"dtype", "dtype", false, false},         {"device", "device", false, true},
    {"threads", "threads", true, false},      {"intensity", "op/B", true, false},
    {"ops_per_s", "operations", true, false}, {"bytes_per_s", "bytes", true, false},
    {"half_width", "+-95%", true, false},     {"flags", "flags", false, false},
};

static enum status add_row(struct grid *grid, const struct chart *chart, const char *series,
                           const char *level, const double *numbers, uint32_t flags)
{
    char ops[32], bytes[32], joined[256];
    TRY(grid_text(grid, series));
    TRY(grid_text(grid, level));
    TRY(grid_text(grid, chart->part.dtype));
    TRY(grid_text(grid, chart->part.device));
    TRY(grid_number(grid, chart->part.threads, NULL));
    TRY(grid_number(grid, numbers[0], NULL));
    TRY(grid_number(grid, numbers[1], format_si(numbers[1], "op/s", ops, sizeof(ops))));
    TRY(grid_number(grid, numbers[2], format_si(numbers[2], "B/s", bytes, sizeof(bytes))));
    TRY(grid_number(grid, numbers[3], NULL));
    return grid_text(grid, record_flags_join(flags, joined, sizeof(joined)));
}

static enum status fill_grid(const struct chart *chart, struct grid *grid)
{
    const struct ceiling *top = chart->compute;
    const double compute[] = {(double)NAN, top->value, (double)NAN, ceilings_half_width(top)};
    TRY(add_row(grid, chart, "roof", "compute", compute, top->flags));
    for (int i = 0; i < chart->roofs_count; i++) {
        const struct ceiling *b = chart->roofs[i].bandwidth;
        if (!b)
            continue;
        const double roof[] = {(double)NAN, (double)NAN, b->value, ceilings_half_width(b)};
        TRY(add_row(grid, chart, "roof", chart->roofs[i].level, roof, b->flags));
    }
    for (size_t i = 0; i < chart->dots_count; i++) {
        const struct dot *d = &chart->dots[i];
        const double dot[] = {d->intensity, d->ops_per_s, d->ops_per_s / d->intensity,
                              d->half_width};
        TRY(add_row(grid, chart, d->point->bench, d->level, dot, d->point->flags));
    }
    return STATUS_OK;
}

static enum status print_as_table(const struct chart *chart, enum grid_format format, FILE *file)
{
    struct grid grid;
    grid_begin(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    enum status status = fill_grid(chart, &grid);
    if (status == STATUS_OK)
        status = grid_print(&grid, format, file);
    grid_clear(&grid);
    return status;
}

enum status show_roofline(const struct run *run, const struct show_options *options, FILE *file)
{
    struct chart chart;
    enum status status = make_chart(run, options, &chart);
    if (status == STATUS_OK && options->format != GRID_TEXT) {
        status = print_as_table(&chart, options->format, file);
    } else if (status == STATUS_OK) {
        print_title(&chart, file);
        print_plot(&chart, options->color, file);
        print_axis(file);
        print_legend(&chart, file);
    }
    free(chart.dots);
    return status;
}
