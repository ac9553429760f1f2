/* ridge show FILE ceilings: what this machine can do, per level, access mix, dtype and threads. */
#include "harness/model/ceilings.h"

#include "harness/base/format.h"
#include "harness/show/show.h"

#include <math.h>
#include <string.h>

static const struct grid_column columns[] = {
    {"reading", "reading", false, true},
    {"kind", "kind", false, true},
    {"level", "ceiling", false, false},
    {"mix", "access", false, false},
    {"dtype", "dtype", false, false},
    {"device", "device", false, true},
    {"threads", "thr", true, false},
    {"unit", "unit", false, true},
    {"value", "typical", true, false},
    {"low", "low", true, true},
    {"high", "high", true, true},
    {"half_width", "+-95%", true, false},
    {"capable", "capable", true, false},
    {"basis", "from", false, false},
    {"asymptote", "asymptote", true, true},
    {"plateau", "plateau", true, true},
    {"sharpness", "p", true, true},
    {"sharpness_low", "p low", true, true},
    {"sharpness_high", "p high", true, true},
    {"sharp", "sharp", false, true},
    {"ridge", "ridge", true, true},
    {"misfit", "misfit", true, true},
    {"maximum", "maximum", true, true},
    {"points", "n", true, false},
    {"status", "status", false, true},
    {"reason", "reason", false, true},
    {"flags", "flags", false, true},
    {"marks", "", false, false},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static double given(double value)
{
    return value > 0 ? value : (double)NAN;
}

static enum status add_identity(struct grid *grid, const struct ceiling *c)
{
    TRY(grid_text(grid, c->reading));
    TRY(grid_text(grid, c->kind));
    TRY(grid_text(grid, strcmp(c->kind, "compute") == 0 ? "compute" : c->level));
    TRY(grid_text(grid, c->mix));
    TRY(grid_text(grid, c->dtype));
    TRY(grid_text(grid, c->device));
    TRY(grid_number(grid, c->threads, NULL));
    return grid_text(grid, c->unit);
}

static enum status add_value(struct grid *grid, const struct ceiling *c,
                             const struct ceiling *capable)
{
    char pretty[32];
    const double half_width = ceilings_half_width(c);
    TRY(grid_number(grid, given(c->value),
                    format_measured(c->value, half_width, c->unit, pretty, sizeof(pretty))));
    TRY(grid_number(grid, given(c->low), NULL));
    TRY(grid_number(grid, given(c->high), NULL));
    snprintf(pretty, sizeof(pretty), half_width > 1 ? ">100%%" : "%.1f%%", 100 * half_width);
    TRY(grid_number(grid, half_width, pretty));
    double value = capable ? capable->value : 0;
    double width = capable ? ceilings_half_width(capable) : INFINITY;
    TRY(grid_number(grid, given(value),
                    format_measured(value, width, c->unit, pretty, sizeof(pretty))));
    return grid_text(grid, c->basis);
}

static enum status add_fit(struct grid *grid, const struct ceiling *c)
{
    TRY(grid_number(grid, given(c->asymptote), NULL));
    TRY(grid_number(grid, given(c->plateau), NULL));
    TRY(grid_number(grid, given(c->sharpness), NULL));
    TRY(grid_number(grid, given(c->sharpness_low), NULL));
    TRY(grid_number(grid, given(c->sharpness_high), NULL));
    TRY(grid_text(grid, c->sharp));
    TRY(grid_number(grid, given(c->ridge), NULL));
    TRY(grid_number(grid, given(c->misfit), NULL));
    return grid_number(grid, given(c->maximum), NULL);
}

static enum status add_ceiling(struct grid *grid, const struct run *run, const struct ceiling *c)
{
    char flags[256], marks[16];
    bool is_determined = strcmp(c->status, "determined") == 0;
    TRY(add_identity(grid, c));
    TRY(add_value(grid, c, ceilings_capable(run, c)));
    TRY(add_fit(grid, c));
    TRY(grid_number(grid, c->points, NULL));
    TRY(grid_text(grid, c->status));
    TRY(grid_text(grid, c->reason));
    TRY(grid_text(grid, record_flags_join(c->flags, flags, sizeof(flags))));
    record_flags_marks(c->flags, marks, sizeof(marks));
    return grid_text(grid, is_determined ? marks : "not det.");
}

static bool is_typical(const struct ceiling *c)
{
    return strcmp(c->reading, "typical") == 0;
}

/* For people: a ladder that does not determine a level's bandwidth, where its streams do. */
static bool is_clutter(const struct run *run, const struct ceiling *c,
                       const struct show_options *options)
{
    bool is_for_people = options->format == GRID_TEXT || options->format == GRID_MARKDOWN;
    return is_for_people && !(c->value > 0) &&
           ceilings_mix(run, c->level, "read", part_of_ceiling(c)) != NULL;
}

static bool is_shown(const struct run *run, const struct ceiling *c,
                     const struct show_options *options, const char *device)
{
    return is_typical(c) && !is_clutter(run, c, options) &&
           show_device_fits(options, device, c->device);
}

/* Why a ceiling is not determined, or what else must be known of it. */
static void print_reasons(const struct run *run, const struct show_options *options,
                          const char *device, FILE *file)
{
    if (options->format != GRID_TEXT && options->format != GRID_MARKDOWN)
        return;
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        char line[320], part[64];
        if (!is_shown(run, c, options, device) || !c->reason[0])
            continue;
        snprintf(line, sizeof(line), "- %s %s %s: %s", c->level[0] ? c->level : "compute", c->mix,
                 show_part(part_of_ceiling(c), part, sizeof(part)), c->reason);
        show_wrapped(line, file);
    }
}

/* The rows of one device; NULL: of all. */
static enum status print_table(const struct run *run, const struct show_options *options,
                               const char *device, uint32_t *flags, FILE *file)
{
    struct grid grid;
    enum status status = STATUS_OK;
    grid_begin(&grid, columns, COLUMNS);
    for (size_t i = 0; status == STATUS_OK && i < run->ceilings_count; i++) {
        if (!is_shown(run, &run->ceilings[i], options, device))
            continue;
        *flags |= run->ceilings[i].flags;
        status = add_ceiling(&grid, run, &run->ceilings[i]);
    }
    if (status == STATUS_OK)
        status = grid_print(&grid, options->format, file);
    grid_clear(&grid);
    print_reasons(run, options, device, file);
    return status;
}

enum status show_ceilings(const struct run *run, const struct show_options *options, FILE *file)
{
    uint32_t flags = 0;
    show_machine(run, options, file);
    TRY(show_by_device(run, options, print_table, &flags, file));
    show_flags(flags, options, file);
    return STATUS_OK;
}
