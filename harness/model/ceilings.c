#include "harness/model/ceilings.h"

#include "harness/model/ladder.h"
#include "harness/model/params.h"
#include "harness/model/readings.h"
#include "harness/model/roofs.h"
#include "harness/model/rows.h"
#include "harness/model/tensor_ceilings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char typical[] = "typical", capable[] = "capable";

/* ---- Streams. */

static bool is_same_stream(const struct reading *a, const struct reading *b)
{
    return reading_same_part(a, b) && strcmp(a->level, b->level) == 0 &&
           strcmp(a->mix, b->mix) == 0;
}

static bool is_stream(const struct reading *r)
{
    return !reading_is_ladder(r) && r->mix[0] && reading_tells_bandwidth(r);
}

static const struct estimate *estimate_of(const struct reading *r, const char *which)
{
    return which == typical ? &r->summary.typical : &r->summary.capable;
}

static void begin_row(const struct reading *r, const char *which, struct ceiling *row)
{
    *row = (struct ceiling){.threads = r->point->threads};
    snprintf(row->reading, sizeof(row->reading), "%s", which);
    snprintf(row->kind, sizeof(row->kind), "bandwidth");
    snprintf(row->unit, sizeof(row->unit), "B/s");
    snprintf(row->basis, sizeof(row->basis), "streams");
    snprintf(row->status, sizeof(row->status), "determined");
    snprintf(row->sharp, sizeof(row->sharp), "not_determined");
    memcpy(row->level, r->level, sizeof(row->level));
    memcpy(row->mix, r->mix, sizeof(row->mix));
    memcpy(row->dtype, r->point->dtype, sizeof(row->dtype));
    memcpy(row->device, r->point->device, sizeof(row->device));
}

/* Where several rungs ran the same stream, only the fastest shows what the level can do. */
static bool is_fastest_rung(const struct readings *readings, const struct reading *r)
{
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *other = &readings->list[i];
        if (strcmp(other->point->bench, r->point->bench) == 0 &&
            strcmp(other->point->params, r->point->params) == 0 &&
            strcmp(other->point->device, r->point->device) == 0 &&
            other->summary.typical.value < r->summary.typical.value)
            return false;
    }
    return true;
}

/* The interval of the point nearest to the median. */
static void set_interval(const struct readings *readings, const struct reading *stream,
                         const char *which, struct ceiling *row)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *r = &readings->list[i];
        const struct estimate *e = estimate_of(r, which);
        if (!is_same_stream(r, stream) || !(e->value > 0))
            continue;
        double distance = fabs(r->point->bytes / e->value - row->value);
        if (!(distance < nearest))
            continue;
        nearest = distance;
        row->low = e->high > 0 ? row->value * e->value / e->high : 0;
        row->high = e->low > 0 ? row->value * e->value / e->low : 0;
    }
}

static enum status add_stream(const struct readings *readings, const struct reading *stream,
                              const char *which, struct run *run)
{
    struct ceiling row;
    double *rates = malloc((readings->count + 1) * sizeof(*rates));
    if (!rates)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu rates", readings->count);
    size_t count = 0;
    begin_row(stream, which, &row);
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *r = &readings->list[i];
        if (!is_same_stream(r, stream) || !(estimate_of(r, which)->value > 0) ||
            !is_fastest_rung(readings, r))
            continue;
        rates[count] = r->point->bytes / estimate_of(r, which)->value;
        row.maximum = fmax(row.maximum, r->point->bytes / r->summary.typical.value);
        row.flags |= r->point->flags;
        row.points++;
        count++;
    }
    row.value = row.plateau = rows_median(rates, count);
    free(rates);
    set_interval(readings, stream, which, &row);
    row.plateau_low = row.low;
    row.plateau_high = row.high;
    return count ? rows_add_ceiling(run, &row) : STATUS_OK;
}

static enum status add_streams(const struct readings *readings, struct run *run)
{
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *stream = &readings->list[i];
        bool is_first = is_stream(stream);
        for (size_t k = 0; is_first && k < i; k++)
            is_first = !is_same_stream(&readings->list[k], stream);
        if (!is_first)
            continue;
        TRY(add_stream(readings, stream, typical, run));
        TRY(add_stream(readings, stream, capable, run));
    }
    return STATUS_OK;
}

/* ---- All of them, in the order in which they are shown. */

static int compare_text(const char *a, const char *b, int otherwise)
{
    int order = strcmp(a, b);
    return order ? order : otherwise;
}

/* Shared memory stands before the caches. */
static const char *rank_of(const char *level)
{
    return strcmp(level, "shared") == 0 ? "L0" : level;
}

static int compare(const void *a, const void *b)
{
    const struct ceiling *x = a, *y = b;
    int order = compare_text(y->reading, x->reading, 0);
    order = compare_text(x->mix, y->mix, order);
    order = compare_text(x->dtype, y->dtype, order);
    order = x->threads != y->threads ? x->threads - y->threads : order;
    order = compare_text(rank_of(x->level), rank_of(y->level), order);
    order = compare_text(y->kind, x->kind, order); /* compute first */
    return compare_text(x->device, y->device, order);
}

enum status ceilings_fit(struct run *run)
{
    struct readings readings;
    run_forget_fit(run);
    enum status status = readings_of(run, &readings);
    if (status == STATUS_OK)
        status = roofs_fit(&readings, run);
    if (status == STATUS_OK)
        status = add_streams(&readings, run);
    if (status == STATUS_OK)
        status = tensor_ceilings_add(&readings, run);
    readings_clear(&readings);
    if (status != STATUS_OK)
        run_forget_fit(run);
    else if (run->ceilings_count)
        qsort(run->ceilings, run->ceilings_count, sizeof(*run->ceilings), compare);
    ladder_set_shares(run);
    return status;
}

enum status ceilings_ensure(struct run *run)
{
    return run->ceilings_count ? STATUS_OK : ceilings_fit(run);
}

/* ---- Looking up. */

struct part part_of_point(const struct record *point)
{
    return (struct part){point->device, point->dtype, point->threads};
}

struct part part_of_ceiling(const struct ceiling *ceiling)
{
    return (struct part){ceiling->device, ceiling->dtype, ceiling->threads};
}

static bool is_usable(const struct ceiling *c, const char *kind, struct part part)
{
    return strcmp(c->reading, typical) == 0 && strcmp(c->kind, kind) == 0 && c->value > 0 &&
           strcmp(c->status, "determined") == 0 && strcmp(c->dtype, part.dtype) == 0 &&
           c->threads == part.threads && strcmp(c->device, part.device) == 0;
}

const struct ceiling *ceilings_compute(const struct run *run, struct part part)
{
    for (size_t i = 0; i < run->ceilings_count; i++)
        if (is_usable(&run->ceilings[i], "compute", part) &&
            strcmp(run->ceilings[i].mix, "fma") == 0)
            return &run->ceilings[i];
    return NULL;
}

const struct ceiling *ceilings_product(const struct run *run, struct part part)
{
    const struct ceiling *highest = NULL;
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (is_usable(c, "compute", part) && (!highest || c->value > highest->value))
            highest = c;
    }
    return highest;
}

const struct ceiling *ceilings_compute_of(const struct run *run, const struct record *point)
{
    const struct part part = part_of_point(point);
    return params_is_product(point) ? ceilings_product(run, part) : ceilings_compute(run, part);
}

const struct ceiling *ceilings_mix(const struct run *run, const char *level, const char *mix,
                                   struct part part)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (is_usable(c, "bandwidth", part) && strcmp(c->level, level) == 0 &&
            strcmp(c->mix, mix) == 0)
            return c;
    }
    return NULL;
}

const struct ceiling *ceilings_read(const struct run *run, const char *level, struct part part)
{
    const struct ceiling *fitted = ceilings_mix(run, level, "read ladder", part);
    return fitted ? fitted : ceilings_mix(run, level, "read", part);
}

const struct ceiling *ceilings_capable(const struct run *run, const struct ceiling *of)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        bool is_it = strcmp(c->reading, capable) == 0 && strcmp(c->kind, of->kind) == 0 &&
                     strcmp(c->level, of->level) == 0 && strcmp(c->mix, of->mix) == 0 &&
                     strcmp(c->dtype, of->dtype) == 0 && c->threads == of->threads &&
                     strcmp(c->device, of->device) == 0;
        if (is_it)
            return c;
    }
    return NULL;
}

double ceilings_half_width(const struct ceiling *c)
{
    return c->value > 0 && c->low > 0 && c->high > 0 ? (c->high - c->low) / (2 * c->value)
                                                     : INFINITY;
}
