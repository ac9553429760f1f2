/* ridge show FILE ceilings: what the machine reached, per level, access mix, dtype and threads. */
#include "harness/model/ceilings.h"

#include "harness/base/format.h"
#include "harness/show/show.h"

#include <math.h>

static const struct grid_column columns[] = {
    {"kind", "kind", false, true},       {"level", "ceiling", false, false},
    {"mix", "access", false, false},     {"dtype", "dtype", false, false},
    {"threads", "thr", true, false},     {"unit", "unit", false, true},
    {"plateau", "plateau", true, false}, {"low", "low", true, true},
    {"high", "high", true, true},        {"half_width", "+-95%", true, false},
    {"maximum", "maximum", true, false}, {"points", "n", true, false},
    {"flags", "flags", false, true},     {"marks", "", false, false},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static enum status add_ceiling(struct grid *grid, const struct ceiling *c)
{
    bool is_compute = c->kind == CEILING_COMPUTE;
    const char *unit = is_compute ? "op/s" : "B/s";
    const double half_width = c->plateau / c->low - 1;
    char pretty[32], flags[256], marks[16];
    TRY(grid_text(grid, is_compute ? "compute" : "bandwidth"));
    TRY(grid_text(grid, is_compute ? "compute" : c->level));
    TRY(grid_text(grid, c->mix));
    TRY(grid_text(grid, c->dtype));
    TRY(grid_number(grid, c->threads, NULL));
    TRY(grid_text(grid, unit));
    TRY(grid_number(grid, c->plateau,
                    format_measured(c->plateau, half_width, unit, pretty, sizeof(pretty))));
    TRY(grid_number(grid, c->low, NULL));
    TRY(grid_number(grid, c->high, NULL));
    snprintf(pretty, sizeof(pretty), half_width > 1 ? ">100%%" : "%.1f%%", 100 * half_width);
    TRY(grid_number(grid, isfinite(c->high) ? half_width : (double)NAN, pretty));
    TRY(grid_number(grid, c->maximum,
                    format_measured(c->maximum, half_width, unit, pretty, sizeof(pretty))));
    TRY(grid_number(grid, (double)c->points, NULL));
    TRY(grid_text(grid, record_flags_join(c->flags, flags, sizeof(flags))));
    return grid_text(grid, record_flags_marks(c->flags, marks, sizeof(marks)));
}

enum status show_ceilings(const struct run *run, const struct show_options *options, FILE *file)
{
    struct ceilings ceilings;
    struct grid grid;
    uint32_t flags = 0;
    TRY(ceilings_find(run, &ceilings));
    grid_begin(&grid, columns, COLUMNS);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < ceilings.count; i++) {
        flags |= ceilings.list[i].flags;
        status = add_ceiling(&grid, &ceilings.list[i]);
    }
    if (status == STATUS_OK) {
        show_machine(run, options, file);
        status = grid_print(&grid, options->format, file);
        show_flags(flags, options, file);
    }
    grid_clear(&grid);
    ceilings_clear(&ceilings);
    return status;
}
