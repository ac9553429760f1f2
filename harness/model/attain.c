#include "harness/model/attain.h"

#include "harness/model/ceilings.h"

#include <math.h>
#include <string.h>

static const double FAR_BELOW = 0.5, ABOVE = 1.05;

/* Products of types that no ladder reads: a byte is a byte. */
static const struct ceiling *read_of_others(const struct run *run, const struct reading *r)
{
    static const char *const dtypes[] = {"f32", "f64"};
    const struct ceiling *found = NULL;
    for (int i = 0; !found && !r->mix[0] && i < 2; i++)
        found = ceilings_read(run, r->level,
                              (struct part){r->point->device, dtypes[i], r->point->threads});
    return found;
}

/* Of its own mix; else of the reads. The reads of the ladder are its own. */
static const struct ceiling *bandwidth_of(const struct run *run, const struct reading *r,
                                          bool *of_read_roof)
{
    const struct record *p = r->point;
    const struct ceiling *own = ceilings_mix(run, r->level, r->mix, part_of_point(p));
    bool is_read = reading_is_ladder(r) || strcmp(r->mix, "read") == 0;
    *of_read_roof = !own && !is_read;
    const struct ceiling *read = ceilings_read(run, r->level, part_of_point(p));
    return own && !is_read ? own : read ? read : read_of_others(run, r);
}

void attain(const struct run *run, const struct reading *r, struct attainment *a)
{
    const struct record *p = r->point;
    *a = (struct attainment){.bound = ""};
    const struct ceiling *compute = ceilings_compute_of(run, p);
    const struct ceiling *bandwidth = r->level[0] ? bandwidth_of(run, r, &a->of_read_roof) : NULL;
    bool counts_operations = p->operations > 0;
    double amount = counts_operations ? p->operations : p->bytes;
    a->achieved = amount / r->summary.typical.value;
    double by_memory = !bandwidth          ? INFINITY
                       : counts_operations ? bandwidth->value * r->intensity
                                           : bandwidth->value;
    double by_compute = compute && counts_operations ? compute->value : INFINITY;
    double attainable = fmin(by_memory, by_compute);
    if (!isfinite(attainable) || (!bandwidth && counts_operations))
        return; /* half a roof is no roof */
    a->attainable = attainable;
    a->share = a->achieved / attainable;
    a->is_above = a->share > ABOVE;
    a->bound = a->share < FAR_BELOW ? "latency" : by_memory <= by_compute ? r->level : "compute";
}
