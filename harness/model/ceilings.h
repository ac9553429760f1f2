/* The ceilings of a run: what each part of this machine can do, per level and access mix. A part is
 * a device with a dtype and a thread count: what shares a roof.
 *
 * Compute and read bandwidth come from one joint fit per dtype and thread count (roofs.h, fit.h).
 * Other access mixes (copy, add, triad, write; plain or non-temporal) have no ladder: their ceiling
 * is the median over the points of bench_vector_add (of each the fastest rung) that lie clearly in
 * one level, with the interval of the point nearest to it ("streams"). What matrix units do has no
 * ladder either: it is read off products and chains (tensor_ceilings.h). Each for both readings:
 * typical and capable. */
#pragma once

#include "harness/store/run.h"

C_API_BEGIN

/* Fits, and replaces the run's ceilings, residuals and shares (ladder.h). */
enum status ceilings_fit(struct run *run);

/* The same where the run has none yet. */
enum status ceilings_ensure(struct run *run);

/* A part of the machine. */
struct part {
    const char *device, *dtype;
    int threads;
};
struct part part_of_point(const struct record *point);
struct part part_of_ceiling(const struct ceiling *ceiling);

/* Rows of the typical reading that are determined, or NULL: the compute ceiling of the ladder of
 * intensities; the highest compute ceiling by whatever method, which is the roof of products; the
 * best read bandwidth of a level, the fitted one before the streams'; the ceiling of one access
 * mix. */
const struct ceiling *ceilings_compute(const struct run *run, struct part part);
const struct ceiling *ceilings_product(const struct run *run, struct part part);
const struct ceiling *ceilings_read(const struct run *run, const char *level, struct part part);
const struct ceiling *ceilings_mix(const struct run *run, const char *level, const char *mix,
                                   struct part part);

/* The compute ceiling by which a point is judged: products by the highest, others by the ladder's.
 */
const struct ceiling *ceilings_compute_of(const struct run *run, const struct record *point);

/* The row of the capable reading that belongs to a typical one, or NULL. */
const struct ceiling *ceilings_capable(const struct run *run, const struct ceiling *typical);

/* Relative half-width of the interval; infinite where it has none. */
double ceilings_half_width(const struct ceiling *ceiling);

C_API_END
