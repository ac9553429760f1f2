/* What a point could reach under the run's roofs, and what keeps it from more. */
#pragma once

#include "harness/model/readings.h"

struct attainment {
    double attainable; /* op/s, or byte/s for a point without operations; 0: no roof to compare */
    double achieved;   /* in the same unit, at the typical time */
    double share;      /* achieved / attainable; 0: not known */
    bool of_read_roof; /* its own access mix has no ceiling: compared with reads */
    bool is_above; /* by more than 5 %: the roof was measured on a slower machine, so it is none */
    const char *bound; /* "L1" .. "memory", "compute", "latency", or "" */
};

C_API_BEGIN

/* attainable = min(compute, bandwidth of its level and mix x intensity). What binds is the smaller
 * of the two; a point below half of it is bound by neither, but by latency (dependences, barriers,
 * short loops). The run must have been fitted (ceilings_ensure). */
void attain(const struct run *run, const struct reading *reading, struct attainment *attainment);

C_API_END
