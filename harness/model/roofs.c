#include "harness/model/roofs.h"

#include "harness/model/fit.h"
#include "harness/model/params.h"
#include "harness/model/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BENCHES = 4, MOST_NAMES = LEVELS_MAX + 2 };

/* A ladder with the memory that it points into. */
struct assembly {
    struct ladder ladder;
    const char *names[MOST_NAMES];
    const struct reading **readings; /* owned; of each point */
    struct ladder_point *points;     /* owned */
    struct ladder_sample *samples;   /* owned; of all points */
    struct ladder_control *controls; /* owned */
    size_t samples_used;
    const char *benches[MOST_BENCHES]; /* rounds of bench b are b * stride .. */
    int benches_count, stride;
};

static void clear(struct assembly *a)
{
    free(a->readings);
    free(a->points);
    free(a->samples);
    free(a->controls);
}

static int level_index(const struct assembly *a, const char *name)
{
    for (int i = 0; i < a->ladder.levels_count; i++)
        if (strcmp(a->names[i], name) == 0)
            return i;
    return -1;
}

/* Where the rounds of that bench begin; -1: there are too many benches or rounds. */
static int first_round(struct assembly *a, const char *bench)
{
    int b = 0;
    while (b < a->benches_count && strcmp(a->benches[b], bench) != 0)
        b++;
    if (b == MOST_BENCHES || (b + 1) * a->stride > LADDER_MOST_ROUNDS)
        return -1;
    a->benches[b] = bench;
    a->benches_count = b + 1 > a->benches_count ? b + 1 : a->benches_count;
    return b * a->stride;
}

static bool belongs(const struct reading *r, const struct reading *part)
{
    bool is_read = reading_is_ladder(r) || strcmp(r->mix, "read") == 0;
    return is_read && reading_tells_bandwidth(r) && r->point->operations > 0 &&
           reading_same_part(r, part);
}

static void add_point(struct assembly *a, const struct reading *r)
{
    int level = level_index(a, r->level), first = first_round(a, r->point->bench);
    if (level < 0 || first < 0)
        return;
    struct ladder_point *point = &a->points[a->ladder.points_count];
    *point = (struct ladder_point){.level = level,
                                   .intensity = r->intensity,
                                   .samples = a->samples + a->samples_used,
                                   .samples_count = r->point->samples_count};
    for (size_t i = 0; i < r->point->samples_count; i++) {
        const struct sample *s = &r->point->samples[i];
        a->samples[a->samples_used++] = (struct ladder_sample){
            .ops_per_s = r->point->operations / s->seconds, .round = first + s->round};
    }
    a->readings[a->ladder.points_count++] = r;
}

/* ---- Controls: the median speed of each round. */

static double round_median_seconds(const struct record *control, int round, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < control->samples_count; i++)
        if (control->samples[i].round == round)
            scratch[count++] = control->samples[i].seconds;
    return rows_median(scratch, count);
}

static enum status add_control(struct assembly *a, const struct record *control)
{
    char beside[48];
    bool is_arithmetic = strstr(control->params, "\"fmas\":") != NULL;
    int memory = level_index(a, "memory");
    params_text(control, "beside", beside, sizeof(beside));
    int b = 0;
    while (b < a->benches_count && strcmp(a->benches[b], beside) != 0)
        b++;
    if (b == a->benches_count || (!is_arithmetic && memory < 0))
        return STATUS_OK;
    double *scratch = malloc((control->samples_count + 1) * sizeof(*scratch));
    if (!scratch)
        return FAIL(STATUS_NO_MEMORY, "no memory for a control");
    for (int round = 0; round < a->stride; round++) {
        double seconds = round_median_seconds(control, round, scratch);
        if (seconds > 0)
            a->controls[a->ladder.controls_count++] =
                (struct ladder_control){.level = is_arithmetic ? LADDER_ARITHMETIC : memory,
                                        .round = b * a->stride + round,
                                        .speed = 1 / seconds};
    }
    free(scratch);
    return STATUS_OK;
}

/* ---- Assembly. */

static enum status make_room(struct assembly *a, const struct readings *readings,
                             const struct run *run)
{
    size_t samples = 0, controls = 0;
    for (size_t i = 0; i < run->points_count; i++) {
        samples += run->points[i].samples_count;
        controls += params_is_control(&run->points[i]);
        int rounds = run->points[i].round + 1;
        a->stride = rounds > a->stride ? rounds : a->stride;
    }
    a->readings = calloc(readings->count + 1, sizeof(const struct reading *));
    a->points = calloc(readings->count + 1, sizeof(*a->points));
    a->samples = calloc(samples + 1, sizeof(*a->samples));
    a->controls = calloc(controls * (size_t)a->stride + 1, sizeof(*a->controls));
    return a->readings && a->points && a->samples && a->controls
               ? STATUS_OK
               : FAIL(STATUS_NO_MEMORY, "no memory for a ladder of %zu points", readings->count);
}

/* Shared memory is a level where a point lies in it. */
static void name_levels(const struct readings *readings, const struct reading *part,
                        struct assembly *a)
{
    const struct levels *levels = level_map_get(&readings->map, part->point->device);
    for (size_t i = 0; i < readings->count && a->ladder.levels_count == 0; i++)
        if (belongs(&readings->list[i], part) && strcmp(readings->list[i].level, "shared") == 0)
            a->names[a->ladder.levels_count++] = "shared";
    for (int i = 0; i < levels->count; i++)
        a->names[a->ladder.levels_count++] = levels->level[i].name;
    a->names[a->ladder.levels_count++] = "memory";
}

static enum status assemble(const struct readings *readings, const struct reading *part,
                            const struct run *run, struct assembly *a)
{
    TRY(make_room(a, readings, run));
    name_levels(readings, part, a);
    for (size_t i = 0; i < readings->count; i++)
        if (belongs(&readings->list[i], part))
            add_point(a, &readings->list[i]);
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *p = &run->points[i];
        if (params_is_control(p) && p->status == RECORD_ok && p->threads == part->point->threads &&
            strcmp(p->device, part->point->device) == 0)
            TRY(add_control(a, p));
    }
    a->ladder.level_names = a->names;
    a->ladder.points = a->points;
    a->ladder.controls = a->controls;
    return STATUS_OK;
}

/* ---- From a fit to rows. */

static void copy_value(const struct roof_value *from, double *value, double *low, double *high)
{
    bool is_known = from->status != ROOF_NOT_DETERMINED;
    *value = is_known ? from->value : 0;
    *low = is_known ? from->low : 0;
    *high = is_known && isfinite(from->high) ? from->high : 0;
}

static void copy_ceiling(const struct roof_ceiling *from, struct ceiling *row)
{
    static const char *const bases[] = {[ROOF_FROM_NOTHING] = "nothing",
                                        [ROOF_FROM_PLATEAU] = "plateau",
                                        [ROOF_FROM_ASYMPTOTE] = "asymptote"};
    copy_value(&from->published, &row->value, &row->low, &row->high);
    copy_value(&from->asymptote, &row->asymptote, &row->asymptote_low, &row->asymptote_high);
    copy_value(&from->plateau, &row->plateau, &row->plateau_low, &row->plateau_high);
    snprintf(row->basis, sizeof(row->basis), "%s", bases[from->basis]);
    snprintf(row->status, sizeof(row->status), "%s",
             from->published.status == ROOF_NOT_DETERMINED ? "not_determined" : "determined");
    snprintf(row->reason, sizeof(row->reason), "%s", from->published.reason);
    if (from->differs && !row->reason[0])
        snprintf(row->reason, sizeof(row->reason),
                 "asymptote and plateau differ by more than 2 %%: the plateau is published");
}

static void begin_row(const struct reading *part, const char *reading, struct ceiling *row)
{
    *row = (struct ceiling){.threads = part->point->threads};
    snprintf(row->reading, sizeof(row->reading), "%s", reading);
    memcpy(row->dtype, part->point->dtype, sizeof(row->dtype));
    memcpy(row->device, part->point->device, sizeof(row->device));
}

/* Points, flags and the best rate of those the row stands on. */
static void count_points(const struct assembly *a, int level, struct ceiling *row)
{
    for (size_t i = 0; i < a->ladder.points_count; i++) {
        const struct reading *r = a->readings[i];
        if (level >= 0 && a->points[i].level != level)
            continue;
        double amount = level >= 0 ? r->point->bytes : r->point->operations;
        row->maximum = fmax(row->maximum, amount / r->summary.typical.value);
        row->flags |= r->point->flags;
        row->points++;
    }
}

static enum status add_compute(const struct assembly *a, const struct reading *part,
                               const char *name, const struct roof_reading *roof, struct run *run)
{
    struct ceiling row;
    begin_row(part, name, &row);
    snprintf(row.kind, sizeof(row.kind), "compute");
    snprintf(row.mix, sizeof(row.mix), "fma");
    snprintf(row.unit, sizeof(row.unit), "op/s");
    copy_ceiling(&roof->compute, &row);
    count_points(a, -1, &row);
    return rows_add_ceiling(run, &row);
}

/* A ladder of which too little is left says so: a ceiling that is missed must not just be absent.
 */
static enum status add_undetermined(const struct assembly *a, const struct reading *part,
                                    struct run *run)
{
    const struct roof_reading nothing = {.compute.published.reason =
                                             "fewer than 3 steady points of 6 samples or more"};
    return add_compute(a, part, "typical", &nothing, run);
}

static enum status add_bandwidth(const struct assembly *a, const struct reading *part,
                                 const char *name, const struct roof_reading *roof, int level,
                                 struct run *run)
{
    static const char *const sharps[] = {[ROOF_NOT_DETERMINED] = "not_determined",
                                         [ROOF_DETERMINED] = "determined",
                                         [ROOF_SHARP] = "sharp"};
    struct ceiling row;
    const struct roof_level *fitted = &roof->levels[level];
    begin_row(part, name, &row);
    snprintf(row.kind, sizeof(row.kind), "bandwidth");
    snprintf(row.mix, sizeof(row.mix), "read ladder");
    snprintf(row.level, sizeof(row.level), "%s", a->names[level]);
    snprintf(row.unit, sizeof(row.unit), "B/s");
    copy_ceiling(&fitted->bandwidth, &row);
    copy_value(&fitted->sharpness, &row.sharpness, &row.sharpness_low, &row.sharpness_high);
    snprintf(row.sharp, sizeof(row.sharp), "%s", sharps[fitted->sharpness.status]);
    row.ridge = fitted->ridge;
    row.misfit = isfinite(fitted->misfit) ? fitted->misfit : 0;
    count_points(a, level, &row);
    return row.points ? rows_add_ceiling(run, &row) : STATUS_OK;
}

static enum status add_residuals(const struct assembly *a, const char *name,
                                 const struct roof_reading *roof, struct run *run)
{
    for (size_t i = 0; i < a->ladder.points_count; i++) {
        const struct roof_point *p = &roof->points[i];
        struct residual row = {.ops_per_s = p->ops_per_s,
                               .residual = isfinite(p->residual) ? p->residual : 0};
        memcpy(row.case_id, a->readings[i]->point->case_id, CASE_ID_BYTES);
        snprintf(row.reading, sizeof(row.reading), "%s", name);
        if (p->excluded != ROOF_KEPT)
            snprintf(row.excluded, sizeof(row.excluded), "%s", roof_exclusion_text(p->excluded));
        TRY(rows_add_residual(run, &row));
    }
    return STATUS_OK;
}

static enum status add_reading(const struct assembly *a, const struct reading *part,
                               const char *name, const struct roof_reading *roof, struct run *run)
{
    if (!roof->given)
        return strcmp(name, "typical") == 0 ? add_undetermined(a, part, run) : STATUS_OK;
    TRY(add_compute(a, part, name, roof, run));
    for (int level = 0; level < a->ladder.levels_count; level++)
        TRY(add_bandwidth(a, part, name, roof, level, run));
    return add_residuals(a, name, roof, run);
}

static enum status fit_part(const struct readings *readings, const struct reading *part,
                            struct run *run)
{
    struct assembly a = {0};
    struct roof roof;
    enum status status = assemble(readings, part, run, &a);
    if (status == STATUS_OK) {
        status = fit_ladder(&a.ladder, &roof);
        if (status == STATUS_OK)
            status = add_reading(&a, part, "typical", &roof.typical, run);
        if (status == STATUS_OK)
            status = add_reading(&a, part, "capable", &roof.capable, run);
        roof_clear(&roof);
    }
    clear(&a);
    return status;
}

enum status roofs_fit(const struct readings *readings, struct run *run)
{
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *part = &readings->list[i];
        bool is_first = reading_is_ladder(part);
        for (size_t k = 0; is_first && k < i; k++)
            if (reading_is_ladder(&readings->list[k]) &&
                reading_same_part(&readings->list[k], part))
                is_first = false;
        if (is_first)
            TRY(fit_part(readings, part, run));
    }
    return STATUS_OK;
}
