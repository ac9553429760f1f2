#include "harness/model/tensor_ceilings.h"

#include "harness/model/params.h"
#include "harness/model/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a ceiling is read off. */
struct method {
    const char *bench, *variant, *mix, *basis, *axis;
    const char *at, *several, *alone; /* words around the fastest one */
};
static const struct method methods[] = {
    {"bench_gemm", "cublaslt", "cublaslt", "best of sizes", "shape", "at", "products",
     " alone: others may be faster"},
    {"bench_tensor", "", "mma.sync", "chains", "steps", "in chains of", "lengths", " products"},
};

/* A variable of the environment ("CUBLAS_EMULATE_DOUBLE_PRECISION=1") that changes what a library
 * computes: no price of this type. */
static bool is_forced(const struct reading *r)
{
    return strchr(r->point->implementation, '=') != NULL;
}

static bool is_of(const struct reading *r, const struct method *method)
{
    return !is_forced(r) && strcmp(r->point->bench, method->bench) == 0 &&
           r->point->operations > 0 &&
           (!method->variant[0] || strcmp(r->point->variant, method->variant) == 0) &&
           strcmp(r->point->dtype, "f32") != 0;
}

static const struct estimate *estimate_of(const struct reading *r, bool is_capable)
{
    return is_capable ? &r->summary.capable : &r->summary.typical;
}

static double rate_of(const struct reading *r, bool is_capable)
{
    const double seconds = estimate_of(r, is_capable)->value;
    return seconds > 0 ? r->point->operations / seconds : 0;
}

/* The fastest point of the part, and of how many. */
static const struct reading *find_best(const struct readings *readings, const struct reading *part,
                                       const struct method *method, bool is_capable, int *count)
{
    const struct reading *best = NULL;
    *count = 0;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *r = &readings->list[i];
        if (!is_of(r, method) || !reading_same_part(r, part) || !(rate_of(r, is_capable) > 0))
            continue;
        ++*count;
        if (!best || rate_of(r, is_capable) > rate_of(best, is_capable))
            best = r;
    }
    return best;
}

static void name_point(const struct reading *best, const struct method *method, int count,
                       char *reason, size_t size)
{
    char where[48];
    params_text(best->point, method->axis, where, sizeof(where));
    if (!where[0]) /* a number */
        snprintf(where, sizeof(where), "%.0f", params_number(best->point, method->axis, 0));
    if (count > 1)
        snprintf(reason, size, "best %s %s, of %d %s", method->at, where, count, method->several);
    else
        snprintf(reason, size, "%s %s%s", method->at, where, method->alone);
}

static enum status add_row(const struct readings *readings, const struct reading *part,
                           const struct method *method, bool is_capable, struct run *run)
{
    int count;
    const struct reading *best = find_best(readings, part, method, is_capable, &count);
    if (!best)
        return STATUS_OK;
    const struct record *point = best->point;
    const struct estimate *e = estimate_of(best, is_capable);
    struct ceiling row = {.value = rate_of(best, is_capable),
                          .low = e->high > 0 ? point->operations / e->high : 0,
                          .high = e->low > 0 ? point->operations / e->low : 0,
                          .maximum = rate_of(best, false),
                          .threads = point->threads,
                          .points = count,
                          .flags = point->flags};
    snprintf(row.reading, sizeof(row.reading), "%s", is_capable ? "capable" : "typical");
    snprintf(row.kind, sizeof(row.kind), "compute");
    snprintf(row.mix, sizeof(row.mix), "%s", method->mix);
    snprintf(row.unit, sizeof(row.unit), "op/s");
    snprintf(row.basis, sizeof(row.basis), "%s", method->basis);
    snprintf(row.status, sizeof(row.status), "determined");
    snprintf(row.sharp, sizeof(row.sharp), "not_determined");
    memcpy(row.dtype, point->dtype, sizeof(row.dtype));
    memcpy(row.device, point->device, sizeof(row.device));
    name_point(best, method, count, row.reason, sizeof(row.reason));
    return rows_add_ceiling(run, &row);
}

static bool is_first(const struct readings *readings, size_t index, const struct method *method)
{
    for (size_t i = 0; i < index; i++)
        if (is_of(&readings->list[i], method) &&
            reading_same_part(&readings->list[i], &readings->list[index]))
            return false;
    return is_of(&readings->list[index], method);
}

enum status tensor_ceilings_add(const struct readings *readings, struct run *run)
{
    for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
        for (size_t i = 0; i < readings->count; i++) {
            if (!is_first(readings, i, &methods[m]))
                continue;
            TRY(add_row(readings, &readings->list[i], &methods[m], false, run));
            TRY(add_row(readings, &readings->list[i], &methods[m], true, run));
        }
    return STATUS_OK;
}
