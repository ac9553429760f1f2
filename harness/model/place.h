/* Which level of the memory hierarchy holds a point's working set. */
#pragma once

#include "harness/measure/levels.h"
#include "harness/record/record.h"

/* The levels that the run was measured with (its children's --levels); count 0 where unknown. */
void place_levels(const char *meta_json, struct levels *levels);

/* "L1", "L2", "L3", "memory", or "" for a working set between two levels, which measures neither:
 * a private cache holds 0.75 of its capacity per thread and no less than 1.5 times the one below;
 * a shared one 0.6 of it for all threads; memory begins at 4 times the last cache. Returns a
 * string that lives as long as `levels`. */
const char *place_of(const struct record *point, const struct levels *levels);
