/* The fitted roofs of a run: one ladder and one joint fit per device, dtype and thread count.
 *
 * A ladder holds the points of bench_intensity at all levels, and the plain reads of
 * bench_vector_add, which continue it to the left: both only read. Rounds of different benches are
 * different rounds. Controls divide drift out where they ran with as many threads as the ladder. */
#pragma once

#include "harness/model/readings.h"

/* Appends the ceilings and residuals of all ladders to the run. */
enum status roofs_fit(const struct readings *readings, struct run *run);
