/* The ceilings of a run: what this machine can do, per level, access mix, dtype and thread count.
 *
 * Compute and read bandwidth come from one joint fit per dtype and thread count (roofs.h, fit.h).
 * Other access mixes (copy, add, triad, write; plain or non-temporal) have no ladder: their ceiling
 * is the median over the points of bench_vector_add that lie clearly in one level, with the
 * interval of the point nearest to it ("streams"). Each for both readings: typical and capable. */
#pragma once

#include "harness/store/run.h"

C_API_BEGIN

/* Fits, and replaces the run's ceilings, residuals and shares (ladder.h). */
enum status ceilings_fit(struct run *run);

/* The same where the run has none yet. */
enum status ceilings_ensure(struct run *run);

/* Rows of the typical reading that are determined, or NULL: the compute ceiling; the best read
 * bandwidth of a level, the fitted one before the streams'; the ceiling of one access mix. */
const struct ceiling *ceilings_compute(const struct run *run, const char *dtype, int threads);
const struct ceiling *ceilings_read(const struct run *run, const char *level, const char *dtype,
                                    int threads);
const struct ceiling *ceilings_mix(const struct run *run, const char *level, const char *mix,
                                   const char *dtype, int threads);

/* The row of the capable reading that belongs to a typical one, or NULL. */
const struct ceiling *ceilings_capable(const struct run *run, const struct ceiling *typical);

/* Relative half-width of the interval; infinite where it has none. */
double ceilings_half_width(const struct ceiling *ceiling);

C_API_END
