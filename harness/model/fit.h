/* The roofs of one machine part, fitted to an intensity ladder.
 *
 * A ladder is the rate P (op/s) of one kernel at growing intensity I (op/byte), with its data in
 * one or more levels of the memory hierarchy; one dtype, one thread count. The model, per level l:
 *
 *     P(I) = (Pmax^-p + (B_l I)^-p)^(-1/p)        Pmax in op/s, B in byte/s, p without unit
 *
 * The roofline (Williams, Waterman and Patterson 2009) is its limit for a large p; p is the
 * sharpness of the knee: at the ridge, I = Pmax / B, the rate is 2^(-1/p) of either roof. One Pmax
 * holds for all levels, one B and one p for each; 1 <= p <= 20.
 *
 * How it is fitted:
 *
 * 1. Drift between rounds is divided out (fit_drift.c): a factor per round for the arithmetic and
 *    one for each level's memory, estimated from all points and controls together. A ceiling holds
 *    for the run's mean state: the mean over the rounds of each log factor is zero.
 * 2. A point's reading is the quantile of its samples so corrected: the median of time for
 *    *typical*, the 25 % quantile for *capable* (from 40 samples on).
 * 3. The curve is fitted to the logarithms of the readings with Tukey's biweight (fit_solve.c).
 * 4. The intervals come from a bootstrap over rounds with a small-sample correction
 *    (fit_bootstrap.c), and are widened where the points miss the curve by more than their noise.
 *
 * No I/O; the same ladder gives the same roof, since the random numbers start from its samples. */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LADDER_MOST_LEVELS = 8, LADDER_MOST_ROUNDS = 64, LADDER_ARITHMETIC = -1 };

struct ladder_sample {
    double ops_per_s;
    int32_t round;
};

struct ladder_point {
    int level;        /* index into the ladder's level_names */
    double intensity; /* op/byte */
    const struct ladder_sample *samples;
    size_t samples_count;
};

/* How fast a control ran in a round; only ratios between the rounds of one control count. */
struct ladder_control {
    int level; /* whose memory it loads, or LADDER_ARITHMETIC */
    int32_t round;
    double speed;
};

struct ladder {
    const char *const *level_names; /* "L1" ...; for the sentences */
    int levels_count;
    const struct ladder_point *points;
    size_t points_count;
    const struct ladder_control *controls; /* may be absent */
    size_t controls_count;
};

/* Sharp: p, or the upper end of its interval, is at the bound, so only `low` says anything. */
enum roof_status { ROOF_NOT_DETERMINED, ROOF_DETERMINED, ROOF_SHARP };

/* low and high: the 95 % interval. The reason is a sentence, empty where it is determined. */
struct roof_value {
    double value, low, high;
    enum roof_status status;
    char reason[160];
};

enum roof_basis { ROOF_FROM_NOTHING, ROOF_FROM_PLATEAU, ROOF_FROM_ASYMPTOTE };

/* A ceiling in byte/s or op/s. The plateau is the mean of the log rates of the points far from the
 * ridge, at or above 8 times it for Pmax, at or below 1/8 of it for B, each weighed by its error
 * and by Tukey's biweight of its distance from the curve. It is what is published; where no point
 * is that far away, the curve's asymptote is. */
struct roof_ceiling {
    struct roof_value asymptote, plateau;
    size_t plateau_points;
    bool differs; /* asymptote and plateau, by more than 2 % */
    enum roof_basis basis;
    struct roof_value published;
};

struct roof_level {
    struct roof_ceiling bandwidth; /* byte/s */
    struct roof_value sharpness;   /* p */
    double ridge;                  /* Pmax / B of the asymptotes, op/byte; 0: not determined */
    double misfit; /* scatter of its points about the curve over their noise; about 1 */
};

enum roof_exclusion {
    ROOF_KEPT,
    ROOF_TOO_FEW_SAMPLES, /* fewer than 5; of the capable reading, fewer than 40 */
    ROOF_UNSTEADY,        /* standard error over 5 %, or over 2 % and 8 times the others' */
    ROOF_OUTLIER          /* further from the curve than 4.685 times the scatter */
};

struct roof_point {
    double ops_per_s; /* the reading, drift divided out; 0 where there is none */
    double residual;  /* log(reading / curve) */
    enum roof_exclusion excluded;
};

struct roof_reading {
    bool given; /* false: fewer than 3 points have enough samples */
    struct roof_ceiling compute;
    struct roof_level levels[LADDER_MOST_LEVELS];
    struct roof_point *points; /* owned; the ladder's points_count */
};

struct roof {
    struct roof_reading typical, capable;
};

C_API_BEGIN

/* STATUS_BAD_ARGUMENT for a level or round out of range, and for a rate, an intensity or a speed
 * that is not positive and finite. *roof is overwritten without being freed; roof_clear frees it,
 * also after a failure. */
enum status fit_ladder(const struct ladder *ladder, struct roof *roof);
void roof_clear(struct roof *roof);

const char *roof_exclusion_text(enum roof_exclusion excluded);

C_API_END
