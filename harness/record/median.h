/* The first thing that anyone asks of a point. */
#pragma once

#include "harness/record/record.h"

C_API_BEGIN

/* Median of the samples' seconds per run, and half its 95 % interval, relative to it (infinite
 * below 6 samples). 0 where there are no samples, or no memory to sort them. */
double record_median_seconds(const struct record *record, double *half_width);

C_API_END
