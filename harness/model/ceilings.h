/* The plain ceilings of a run: what was reached, per level, access mix, dtype and thread count.
 *
 * Bandwidth comes from points whose working set lies clearly in one level: of bench_vector_add by
 * its operation and store kind, of bench_intensity (reads only) where the arithmetic is at most an
 * eighth of what the units can do. Arithmetic comes from the points of bench_intensity at 8 times
 * the ridge or more. The plateau is the median of those points' typical rates, the maximum the best
 * of them. No curve is fitted. */
#pragma once

#include "harness/measure/levels.h"
#include "harness/store/run.h"

enum ceiling_kind { CEILING_BANDWIDTH, CEILING_COMPUTE };

struct ceiling {
    enum ceiling_kind kind;
    char level[8]; /* of bandwidth; "" for compute */
    char mix[24];  /* "read", "copy plain", "add nontemporal"; "fma" for compute */
    char dtype[16];
    int threads;
    double plateau, low, high; /* bytes/s or operations/s; interval of the median point */
    double maximum;            /* best typical rate of a point */
    size_t points;
    uint32_t flags; /* of all its points */
};

struct ceilings {
    struct ceiling *list; /* owned */
    size_t count, room;
};

C_API_BEGIN

enum status ceilings_find(const struct run *run, struct ceilings *ceilings);
void ceilings_clear(struct ceilings *ceilings);

/* The read bandwidth of a level, or the compute ceiling, for that dtype and thread count; NULL. */
const struct ceiling *ceilings_bandwidth(const struct ceilings *ceilings, const char *level,
                                         const char *dtype, int threads);
const struct ceiling *ceilings_compute(const struct ceilings *ceilings, const char *dtype,
                                       int threads);

C_API_END
