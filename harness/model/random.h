/* splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): small,
 * seedable, good enough to draw indices for a bootstrap. */
#pragma once

#include "harness/base/c_api.h"

#include <stddef.h>
#include <stdint.h>

C_API_BEGIN

uint64_t random_next(uint64_t *state);

/* An index below `count`, which is at least 1. The bias of the remainder is count / 2^64. */
size_t random_draw(uint64_t *state, size_t count);

C_API_END
