#include "harness/model/ceilings.h"

#include "harness/base/quantile.h"
#include "harness/model/params.h"
#include "harness/model/place.h"
#include "harness/model/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FAR_FROM_RIDGE = 8;

/* A point with what the ceilings need of it. */
struct reading {
    const struct record *point;
    char level[8], mix[24];
    double bytes_per_s, ops_per_s, intensity;
    double half_width;
};

void ceilings_clear(struct ceilings *ceilings)
{
    free(ceilings->list);
    *ceilings = (struct ceilings){0};
}

static bool is_ladder(const struct reading *r)
{
    return strcmp(r->mix, "fma") == 0;
}

static void name_mix(const struct record *point, char *mix, size_t size)
{
    char op[16];
    params_text(point, "op", op, sizeof(op));
    if (strstr(point->params, "\"fmas\":"))
        snprintf(mix, size, "fma");
    else if (strcmp(op, "read") == 0)
        snprintf(mix, size, "read");
    else
        snprintf(mix, size, "%s %s", op, point->store_kind);
}

static enum status read_point(const struct record *point, const struct levels *levels,
                              struct reading *r)
{
    struct summary summary;
    TRY(summary_of(point, &summary));
    *r = (struct reading){.point = point};
    if (params_is_control(point) || !(summary.typical.value > 0))
        return STATUS_OK;
    snprintf(r->level, sizeof(r->level), "%.7s", place_of(point, levels));
    name_mix(point, r->mix, sizeof(r->mix));
    r->bytes_per_s = point->bytes / summary.typical.value;
    r->ops_per_s = point->operations / summary.typical.value;
    r->intensity = point->bytes > 0 ? point->operations / point->bytes : 0;
    r->half_width = summary_half_width(&summary);
    return STATUS_OK;
}

static bool is_same_machine_part(const struct reading *a, const struct reading *b)
{
    return a->point->threads == b->point->threads &&
           strcmp(a->point->dtype, b->point->dtype) == 0 &&
           strcmp(a->point->device, b->point->device) == 0;
}

/* Where the ladder of that level turns from one roof to the other: best rate over best bandwidth.
 */
static double ridge_of(const struct reading *readings, size_t count, const struct reading *of)
{
    double ops = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct reading *r = &readings[i];
        if (!is_ladder(r) || !is_same_machine_part(r, of))
            continue;
        ops = fmax(ops, r->ops_per_s);
        if (strcmp(r->level, of->level) == 0)
            bytes = fmax(bytes, r->bytes_per_s);
    }
    return bytes > 0 ? ops / bytes : 0;
}

/* What the reading tells a ceiling of: nothing near the ridge, where both roofs press. */
static bool belongs(const struct reading *readings, size_t count, const struct reading *r,
                    enum ceiling_kind kind)
{
    if (!r->mix[0])
        return false;
    if (!is_ladder(r))
        return kind == CEILING_BANDWIDTH && r->level[0];
    double ridge = ridge_of(readings, count, r);
    return kind == CEILING_COMPUTE ? r->intensity >= FAR_FROM_RIDGE * ridge
                                   : r->level[0] && r->intensity <= ridge / FAR_FROM_RIDGE;
}

static void describe(const struct reading *r, enum ceiling_kind kind, struct ceiling *ceiling)
{
    *ceiling = (struct ceiling){.kind = kind, .threads = r->point->threads};
    memcpy(ceiling->dtype, r->point->dtype, sizeof(ceiling->dtype));
    if (kind == CEILING_BANDWIDTH)
        memcpy(ceiling->level, r->level, sizeof(ceiling->level));
    snprintf(ceiling->mix, sizeof(ceiling->mix), "%s",
             kind == CEILING_BANDWIDTH && is_ladder(r) ? "read ladder" : r->mix);
}

static bool is_same(const struct ceiling *a, const struct ceiling *b)
{
    return a->kind == b->kind && a->threads == b->threads && strcmp(a->level, b->level) == 0 &&
           strcmp(a->mix, b->mix) == 0 && strcmp(a->dtype, b->dtype) == 0;
}

static enum status add(struct ceilings *ceilings, const struct ceiling *ceiling)
{
    for (size_t i = 0; i < ceilings->count; i++)
        if (is_same(&ceilings->list[i], ceiling))
            return STATUS_OK;
    if (ceilings->count == ceilings->room) {
        size_t room = ceilings->room ? 2 * ceilings->room : 32;
        struct ceiling *grown = realloc(ceilings->list, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu ceilings", room);
        ceilings->list = grown;
        ceilings->room = room;
    }
    ceilings->list[ceilings->count++] = *ceiling;
    return STATUS_OK;
}

static double rate_of(const struct reading *r, enum ceiling_kind kind)
{
    return kind == CEILING_COMPUTE ? r->ops_per_s : r->bytes_per_s;
}

static bool describes(const struct reading *readings, size_t count, const struct reading *r,
                      const struct ceiling *ceiling)
{
    struct ceiling other;
    if (!belongs(readings, count, r, ceiling->kind))
        return false;
    describe(r, ceiling->kind, &other);
    return is_same(&other, ceiling);
}

/* The interval of the point whose rate is closest to the plateau. */
static void set_interval(const struct reading *readings, size_t count, struct ceiling *ceiling)
{
    double nearest = INFINITY, width = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!describes(readings, count, &readings[i], ceiling))
            continue;
        double distance = fabs(rate_of(&readings[i], ceiling->kind) - ceiling->plateau);
        width = distance < nearest ? readings[i].half_width : width;
        nearest = fmin(nearest, distance);
    }
    ceiling->low = ceiling->plateau / (1 + width);
    ceiling->high = width < 1 ? ceiling->plateau / (1 - width) : INFINITY;
}

/* Median, best and interval of the readings that describe this ceiling. */
static enum status measure(const struct reading *readings, size_t count, struct ceiling *ceiling)
{
    double *rates = malloc((count + 1) * sizeof(*rates));
    if (!rates)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu rates", count);
    for (size_t i = 0; i < count; i++) {
        if (!describes(readings, count, &readings[i], ceiling))
            continue;
        rates[ceiling->points++] = rate_of(&readings[i], ceiling->kind);
        ceiling->flags |= readings[i].point->flags;
    }
    quantile_sort(rates, ceiling->points);
    ceiling->plateau = quantile_of_sorted(rates, ceiling->points, 0.5);
    ceiling->maximum = rates[ceiling->points - 1];
    set_interval(readings, count, ceiling);
    free(rates);
    return STATUS_OK;
}

static enum status find_all(const struct reading *readings, size_t count, struct ceilings *ceilings)
{
    for (size_t i = 0; i < count; i++)
        for (int kind = CEILING_BANDWIDTH; kind <= CEILING_COMPUTE; kind++) {
            struct ceiling ceiling;
            if (!belongs(readings, count, &readings[i], (enum ceiling_kind)kind))
                continue;
            describe(&readings[i], (enum ceiling_kind)kind, &ceiling);
            TRY(add(ceilings, &ceiling));
        }
    for (size_t i = 0; i < ceilings->count; i++)
        TRY(measure(readings, count, &ceilings->list[i]));
    return STATUS_OK;
}

static int compare(const void *a, const void *b)
{
    const struct ceiling *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind == CEILING_COMPUTE ? -1 : 1;
    int by_level = strcmp(x->level, y->level), by_dtype = strcmp(x->dtype, y->dtype);
    if (by_level || x->threads != y->threads)
        return by_level ? by_level : x->threads - y->threads;
    return by_dtype ? by_dtype : strcmp(x->mix, y->mix);
}

enum status ceilings_find(const struct run *run, struct ceilings *ceilings)
{
    struct levels levels;
    *ceilings = (struct ceilings){0};
    place_levels(run->meta_json, &levels);
    struct reading *readings = calloc(run->points_count + 1, sizeof(*readings));
    enum status status =
        readings ? STATUS_OK
                 : FAIL(STATUS_NO_MEMORY, "no memory for %zu points", run->points_count);
    for (size_t i = 0; status == STATUS_OK && i < run->points_count; i++)
        status = read_point(&run->points[i], &levels, &readings[i]);
    if (status == STATUS_OK)
        status = find_all(readings, run->points_count, ceilings);
    free(readings);
    if (status != STATUS_OK)
        ceilings_clear(ceilings);
    else if (ceilings->count)
        qsort(ceilings->list, ceilings->count, sizeof(*ceilings->list), compare);
    return status;
}

const struct ceiling *ceilings_bandwidth(const struct ceilings *ceilings, const char *level,
                                         const char *dtype, int threads)
{
    const struct ceiling *found = NULL;
    for (size_t i = 0; i < ceilings->count; i++) {
        const struct ceiling *c = &ceilings->list[i];
        bool fits = c->kind == CEILING_BANDWIDTH && c->threads == threads &&
                    strcmp(c->level, level) == 0 && strcmp(c->dtype, dtype) == 0 &&
                    strncmp(c->mix, "read", 4) == 0;
        if (fits && (!found || c->plateau > found->plateau))
            found = c;
    }
    return found;
}

const struct ceiling *ceilings_compute(const struct ceilings *ceilings, const char *dtype,
                                       int threads)
{
    for (size_t i = 0; i < ceilings->count; i++) {
        const struct ceiling *c = &ceilings->list[i];
        if (c->kind == CEILING_COMPUTE && c->threads == threads && strcmp(c->dtype, dtype) == 0)
            return c;
    }
    return NULL;
}
