/* Rows of a fit, added to a run one by one, and the small sums that several files need. */
#pragma once

#include "harness/store/run.h"

enum status rows_add_ceiling(struct run *run, const struct ceiling *row);
enum status rows_add_residual(struct run *run, const struct residual *row);

/* Median of values, which it sorts; 0 for none. */
double rows_median(double *values, size_t count);
