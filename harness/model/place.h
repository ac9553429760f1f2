/* Which level of the memory hierarchy holds a point's working set. */
#pragma once

#include "harness/measure/levels.h"
#include "harness/record/record.h"

/* The levels that the run was measured with (its children's --levels); count 0 where unknown. */
void place_levels(const char *meta_json, struct levels *levels);

/* As the bench was asked for ("level"), else by the size of its working set: see levels_place. */
const char *place_of(const struct record *point, const struct levels *levels);
