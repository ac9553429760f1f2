/* How the elements of a buffer are written and read: everything is made and compared in double. */
#pragma once

#include "harness/measure/bench.h"

C_API_BEGIN

/* To the nearest value of the type; bf16 takes only what it can hold exactly. NaN poisons: where
 * the type has none, it becomes the least value, which no answer is. */
void element_encode(enum element element, const double *values, int64_t count, void *array);

void element_decode(enum element element, const void *array, int64_t count, double *values);

C_API_END
