/* The guards that need all samples of a point: set as flags once its slices are merged. */
#pragma once

#include "harness/record/record.h"

C_API_BEGIN

/* Sets or clears unsteady, too_few_samples and incomplete_rounds from the samples. */
void record_guard(struct record *point);

C_API_END
