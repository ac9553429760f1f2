/* ridge show FILE ladder: what each idea adds, rung by rung, beside the libraries. */
#include "harness/model/ladder.h"

#include "harness/base/format.h"
#include "harness/model/summary.h"
#include "harness/show/show.h"
#include "kernels/blas/blas_advice.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { BAR_COLUMNS = 20 };

static const struct grid_column columns[] = {
    {"bench", "bench", false, false},
    {"params", "params", false, false},
    {"device", "device", false, true},
    {"dtype", "dtype", false, true},
    {"accumulator", "sums", false, true},
    {"threads", "threads", true, true},
    {"variant", "rung", false, false},
    {"is_peer", "peer", false, true},
    {"ops_per_s", "rate", true, false},
    {"half_width", "+-95%", true, false},
    {"share_of_roof", "of roof", true, false},
    {"share_of_peer", "of best peer", true, false},
    {"times_below", "x rung below", true, false},
    {"status", "status", false, true},
    {"flags", "flags", false, true},
    {"implementation", "implementation", false, true},
};

static bool is_asked(const struct ladder *ladder, const struct show_options *options)
{
    const struct record *head = ladder->rungs[0];
    return show_device_fits(options, NULL, head->device) &&
           (!options->dtype || strcmp(options->dtype, head->dtype) == 0) &&
           (!options->threads || options->threads == head->threads);
}

/* The bootstrap's, over rounds, as in the table of points. */
static double half_width_of(const struct record *point)
{
    struct summary summary;
    return summary_of(point, &summary) == STATUS_OK ? summary_half_width(&summary) : INFINITY;
}

static double share(double rate, double of)
{
    return of > 0 && rate > 0 ? rate / of : (double)NAN;
}

static double roof_of(const struct ladder *ladder)
{
    return ladder->roof ? ladder->roof->value : 0;
}

static double peer_rate(const struct ladder *ladder)
{
    return ladder->peer ? ladder_rate(ladder->peer) : 0;
}

/* By how much a rung is faster than the one of ours below it; NaN for the first and for peers. */
static double times_below(const struct ladder *ladder, size_t rung)
{
    if (rung == 0 || ladder_is_peer(ladder->rungs[rung]->variant))
        return (double)NAN;
    return share(ladder_rate(ladder->rungs[rung]), ladder_rate(ladder->rungs[rung - 1]));
}

/* ---- For programs, and as a Markdown table. */

static enum status add_percent(struct grid *grid, double part)
{
    char pretty[32];
    snprintf(pretty, sizeof(pretty), "%.*f %%", part < 0.0995 ? 1 : 0, 100 * part);
    return grid_number(grid, part, isfinite(part) ? pretty : "-");
}

static enum status add_rung(struct grid *grid, const struct ladder *ladder, size_t rung)
{
    char pretty[32], flags[256];
    const struct record *point = ladder->rungs[rung];
    const double rate = ladder_rate(point), half = half_width_of(point);
    TRY(grid_text(grid, point->bench));
    TRY(grid_text(grid, point->params));
    TRY(grid_text(grid, point->device));
    TRY(grid_text(grid, point->dtype));
    TRY(grid_text(grid, point->accumulator));
    TRY(grid_number(grid, point->threads, NULL));
    TRY(grid_text(grid, point->variant));
    TRY(grid_text(grid, ladder_is_peer(point->variant) ? "yes" : ""));
    TRY(grid_number(grid, rate > 0 ? rate : (double)NAN,
                    format_measured(rate, half, "op/s", pretty, sizeof(pretty))));
    TRY(grid_number(grid, half, NULL));
    TRY(add_percent(grid, share(rate, roof_of(ladder))));
    TRY(add_percent(grid, share(rate, peer_rate(ladder))));
    const double below = times_below(ladder, rung);
    snprintf(pretty, sizeof(pretty), "%.1f", below);
    TRY(grid_number(grid, below, isfinite(below) ? pretty : "-"));
    TRY(grid_text(grid, record_status_name(point->status)));
    TRY(grid_text(grid, record_flags_join(point->flags, flags, sizeof(flags))));
    return grid_text(grid, point->implementation);
}

static enum status print_as_table(const struct ladders *ladders, const struct show_options *options,
                                  FILE *file)
{
    struct grid grid;
    enum status status = STATUS_OK;
    grid_begin(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < ladders->count; i++)
        for (size_t r = 0; is_asked(&ladders->list[i], options) && status == STATUS_OK &&
                           r < ladders->list[i].count;
             r++)
            status = add_rung(&grid, &ladders->list[i], r);
    if (status == STATUS_OK)
        status = grid_print(&grid, options->format, file);
    grid_clear(&grid);
    return status;
}

/* ---- For people. */

static void print_percent(FILE *file, double part, int width)
{
    if (isfinite(part))
        fprintf(file, " %*.*f %%", width - 3, part < 0.0995 ? 1 : 0, 100 * part);
    else
        fprintf(file, " %*s", width - 1, "-");
}

/* "bench_gemm f32 1024x1024x1024, 2 threads": the parameters that are texts. */
static void print_head(const struct ladder *ladder, FILE *file)
{
    const struct record *head = ladder->rungs[0];
    const char *key;
    json_t *value, *params = json_loads(head->params, 0, NULL);
    char roof[32], part[64];
    fprintf(file, "%s", head->bench);
    json_object_foreach(params, key, value)
    {
        if (strcmp(key, "dtype") == 0 && strcmp(head->dtype, head->accumulator) != 0)
            fprintf(file, " %s->%s", head->dtype, head->accumulator);
        else if (json_is_string(value))
            fprintf(file, " %s", json_string_value(value));
        else if (strcmp(key, "threads") != 0 && json_integer_value(value) != 1)
            fprintf(file, " %s=%lld", key, (long long)json_integer_value(value));
    }
    json_decref(params);
    show_part(part_of_point(head), part, sizeof(part)); /* its dtype is told already */
    fprintf(file, "%s", strchr(part, ','));
    if (ladder->roof)
        fprintf(file, "; compute roof %s", format_si(roof_of(ladder), "op/s", roof, sizeof(roof)));
    if (ladder->roof && strcmp(ladder->roof->mix, "fma") != 0)
        fprintf(file, " (%s)", ladder->roof->mix);
    fprintf(file, "\n  %-10s %11s %-7s %-*s %8s %8s %8s\n", "rung", "rate", "+-95%", BAR_COLUMNS,
            "", "of roof", "of peer", "x below");
}

static void print_bar(FILE *file, double part)
{
    const int filled = part > 0 ? (int)lround(fmin(1, part) * BAR_COLUMNS) : 0;
    for (int i = 0; i < BAR_COLUMNS; i++)
        fputs(i < filled ? "█" : "·", file);
}

static void print_rung(const struct ladder *ladder, size_t rung, FILE *file)
{
    char text[32], width[16], marks[16];
    const struct record *point = ladder->rungs[rung];
    const double rate = ladder_rate(point), half = half_width_of(point);
    const double below = times_below(ladder, rung);
    fprintf(file, "%c %-10s ", ladder_is_peer(point->variant) ? '=' : ' ', point->variant);
    if (!(rate > 0)) {
        fprintf(file, "%s: %s\n", record_status_name(point->status), point->reason);
        return;
    }
    snprintf(width, sizeof(width), half > 1 ? ">100%%" : "%.1f%%", 100 * half);
    fprintf(file, "%11s %-7s ", format_measured(rate, half, "op/s", text, sizeof(text)), width);
    print_bar(file, share(rate, ladder->roof ? roof_of(ladder) : peer_rate(ladder)));
    print_percent(file, share(rate, roof_of(ladder)), 8);
    print_percent(file, share(rate, peer_rate(ladder)), 8);
    if (isfinite(below))
        fprintf(file, " %8.1f", below);
    record_flags_marks(point->flags, marks, sizeof(marks));
    fprintf(file, "%s%s\n", marks[0] ? " " : "", marks);
}

/* Small and thin products, and those beside other load, are slow for other reasons than a wrong
 * library. */
static bool is_bound_by_compute(const struct record *point)
{
    return !(point->flags & (FLAG_foreign_load | FLAG_unsteady)) &&
           point->operations >= 2.0 * 512 * 512 * 512 && point->operations >= 30 * point->bytes;
}

/* Whose code the peers are, and what is wrong with a slow one. */
static void print_peers(const struct ladder *ladder, FILE *file)
{
    char line[512], advice[256];
    for (size_t i = 0; i < ladder->count; i++) {
        const struct record *point = ladder->rungs[i];
        const double part = share(ladder_rate(point), roof_of(ladder));
        if (!ladder_is_peer(point->variant) || !point->implementation[0])
            continue;
        snprintf(line, sizeof(line), "= %s: %s", point->variant, point->implementation);
        show_wrapped(line, file);
        if (is_bound_by_compute(point) &&
            blas_advice(point->implementation, point->isa, part, advice, sizeof(advice))) {
            snprintf(line, sizeof(line), "! %s: %s", point->variant, advice);
            show_wrapped(line, file);
        }
    }
}

/* Where the roof was read off one product: which. */
static void print_roof(const struct ladder *ladder, FILE *file)
{
    char line[256];
    if (!ladder->roof || strcmp(ladder->roof->mix, "fma") == 0)
        return;
    snprintf(line, sizeof(line), "- roof of %s: %s", ladder->roof->mix, ladder->roof->reason);
    show_wrapped(line, file);
}

enum status show_ladder(const struct run *run, const struct show_options *options, FILE *file)
{
    struct ladders ladders;
    uint32_t flags = 0;
    bool is_first = true;
    enum status status = ladders_of(run, &ladders);
    if (status == STATUS_OK && ladders.count == 0)
        status = FAIL(STATUS_BAD_ARGUMENT, "no ladder in this run: it needs a bench measured with "
                                           "kernel=all, as 'ridge run quick' does with bench_gemm");
    if (status == STATUS_OK && options->format != GRID_TEXT) {
        status = print_as_table(&ladders, options, file);
        ladders_clear(&ladders);
        return status;
    }
    for (size_t i = 0; status == STATUS_OK && i < ladders.count; i++) {
        const struct ladder *ladder = &ladders.list[i];
        if (!is_asked(ladder, options))
            continue;
        if (is_first)
            show_machine(run, options, file);
        else
            fputc('\n', file);
        is_first = false;
        print_head(ladder, file);
        for (size_t r = 0; r < ladder->count; r++) {
            print_rung(ladder, r, file);
            flags |= ladder->rungs[r]->flags;
        }
        print_peers(ladder, file);
        print_roof(ladder, file);
    }
    if (status == STATUS_OK)
        show_flags(flags, options, file);
    ladders_clear(&ladders);
    return status;
}
