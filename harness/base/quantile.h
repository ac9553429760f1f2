/* Order statistics of a set of times: what the sampler stops by and the model reports. */
#pragma once

#include <stddef.h>

/* Sorts ascending, in place. */
void quantile_sort(double *values, size_t count);

/* Linear interpolation between the closest ranks (R's type 7) of ascending values; count >= 1. */
double quantile_of_sorted(const double *sorted, size_t count, double fraction);

/* Half the width of the median's distribution-free 95 % interval, relative to the median:
 * the order statistics at n/2 -+ 1.96 sqrt(n)/2 (Conover, Practical Nonparametric Statistics,
 * 3.2). Infinite below 6 values, where no two order statistics reach 95 %. Copies, does not
 * reorder. Returns a negative number where memory is short. */
double quantile_median_half_width(const double *values, size_t count);
