/* The two readings of one sample set, each with its 95 % interval.
 *
 * Typical: the median, what users get. Capable: the 25 % quantile of time (noise is one-sided),
 * what the machine can do undisturbed; only with 40 samples or more. Intervals come from a
 * bootstrap over rounds: rounds are drawn with replacement, then samples within each, so that drift
 * between rounds lies inside them (Davison and Hinkley, Bootstrap Methods, 3.8). */
#pragma once

#include "harness/record/record.h"

struct estimate {
    double value, low, high; /* seconds; 0 where it is not given */
};

struct summary {
    size_t samples, rounds;
    struct estimate typical, capable;
    double min_seconds, q1_seconds, q3_seconds;
    double steadiness; /* capable over typical time, 1 on a quiet machine; 0: not given */
};

C_API_BEGIN

/* The same samples give the same summary: the bootstrap's random numbers start from the case id.
 * A point without samples, or one that is not ok, gives zeros. */
enum status summary_of(const struct record *point, struct summary *summary);

/* Half the typical interval's width, relative; infinite where there is none. */
double summary_half_width(const struct summary *summary);

C_API_END
