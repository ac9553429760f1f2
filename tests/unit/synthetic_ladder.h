/* Ladders with known answers: for test_fit and for ci/prove_fit.
 *
 * A sample's time is the model's, at the state of its round, times a noise factor. Symmetric noise
 * is exp(s z), z standard normal; one-sided noise is 1 + s x, x exponential with mean 1. Outliers
 * hit samples (one in ten takes 1.3 to 3 times as long) or whole points (one or two of 15, at 0.5
 * to 0.9 of their rate in every round).
 *
 * Drift: each round has a factor on the arithmetic and one on each level's memory, uniform in
 * logarithm within -+drift, the same for all in half of the ladders; over the rounds of a ladder
 * their logarithms sum to zero, so factor 1 is the state that a run reports: its mean. The controls
 * read the factors of the arithmetic and of the last level, with 1 % of noise.
 *
 * The truth of a reading is the model without noise, at factor 1, divided by the population
 * quantile of the noise factor: median or 25 %. Slow samples belong to the population (they are a
 * part of what users get); outlying points do not. */
#pragma once

#include "harness/model/fit.h"
#include "harness/model/random.h"

#include <math.h>
#include <string.h>

enum outliers { OUTLIERS_NONE, OUTLIERS_SAMPLES, OUTLIERS_POINTS };
enum { MOST_POINTS = 64, MOST_SAMPLES = 40, MOST_ROUNDS = 8, MOST_LEVELS = 4 };

struct setting {
    bool one_sided;
    double noise, drift, sharpness;
    enum outliers outliers;
    int levels, rounds, samples_per_round;
    double first, last; /* intensities over the ridge of the last level; 0: 1/16 and 1024 op/byte */
    double gap;         /* no points within this factor of the ridge; 0: no gap */
    double missing;     /* share of slices that were lost */
};

struct synthetic {
    struct ladder ladder;
    struct ladder_point points[MOST_POINTS];
    struct ladder_sample samples[MOST_POINTS][MOST_SAMPLES];
    struct ladder_control controls[2 * MOST_ROUNDS];
    double peak, bandwidth[MOST_LEVELS], sharpness[MOST_LEVELS]; /* without noise */
    double drift[1 + MOST_LEVELS][MOST_ROUNDS];
    double outlying[MOST_POINTS]; /* factor on the rate; 1: not an outlier */
};

static const char *const synthetic_names[MOST_LEVELS] = {"L1", "L2", "L3", "memory"};

static inline double synthetic_uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958. */
static inline double synthetic_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(synthetic_uniform(state)));
    return radius * cos(2 * acos(-1) * synthetic_uniform(state));
}

static inline double synthetic_model(double peak, double slope, double sharpness)
{
    double least = fmin(peak, slope), most = fmax(peak, slope);
    return least * pow(1 + pow(least / most, sharpness), -1 / sharpness);
}

static inline double synthetic_noise(const struct setting *setting, uint64_t *state)
{
    double factor = setting->one_sided ? 1 - setting->noise * log(synthetic_uniform(state))
                                       : exp(setting->noise * synthetic_normal(state));
    if (setting->outliers == OUTLIERS_SAMPLES && synthetic_uniform(state) < 0.1)
        factor *= 1.3 + 1.7 * synthetic_uniform(state);
    return factor;
}

/* The population quantile of the noise factor. With a tenth of slow samples, all of them beyond
 * the quantiles asked for, it is that of the others at fraction / 0.9. */
static inline double synthetic_quantile(const struct setting *setting, double fraction)
{
    double u = setting->outliers == OUTLIERS_SAMPLES ? fraction / 0.9 : fraction, low = -9,
           high = 9;
    if (setting->one_sided)
        return 1 - setting->noise * log(1 - u);
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        *(erfc(-middle / sqrt(2)) / 2 < u ? &low : &high) = middle;
    }
    return exp(setting->noise * low);
}

static inline void synthetic_drift(const struct setting *setting, uint64_t *state,
                                   struct synthetic *made)
{
    bool common = synthetic_uniform(state) < 0.5;
    for (int e = 0; e <= setting->levels; e++) {
        double mean = 0;
        for (int r = 0; r < setting->rounds; r++) {
            made->drift[e][r] = setting->drift * (2 * synthetic_uniform(state) - 1);
            mean += made->drift[e][r] / setting->rounds;
        }
        for (int r = 0; r < setting->rounds; r++)
            made->drift[e][r] = common && e ? made->drift[0][r] : made->drift[e][r] - mean;
    }
    for (int r = 0; r < setting->rounds; r++)
        for (int c = 0; c < 2; c++) {
            double drift = made->drift[c ? setting->levels : 0][r];
            made->controls[2 * r + c] =
                (struct ladder_control){.level = c ? setting->levels - 1 : LADDER_ARITHMETIC,
                                        .round = r,
                                        .speed = 1e9 * exp(drift + 0.01 * synthetic_normal(state))};
        }
}

static inline void synthetic_point(const struct setting *setting, int level, double intensity,
                                   uint64_t *state, struct synthetic *made)
{
    size_t p = made->ladder.points_count++, count = 0;
    double slope = made->bandwidth[level] * intensity;
    for (int r = 0; r < setting->rounds; r++) {
        double rate =
            synthetic_model(made->peak * exp(made->drift[0][r]),
                            slope * exp(made->drift[1 + level][r]), made->sharpness[level]);
        if (synthetic_uniform(state) < setting->missing)
            continue;
        for (int s = 0; s < setting->samples_per_round; s++) {
            double seconds = synthetic_noise(setting, state) / (rate * made->outlying[p]);
            made->samples[p][count++] = (struct ladder_sample){1 / seconds, r};
        }
    }
    made->points[p] = (struct ladder_point){level, intensity, made->samples[p], count};
}

static inline void synthetic_outlying(const struct setting *setting, uint64_t *state,
                                      struct synthetic *made)
{
    for (size_t p = 0; p < MOST_POINTS; p++)
        made->outlying[p] = 1;
    for (size_t hit = 1 + random_draw(state, 2); setting->outliers == OUTLIERS_POINTS && hit; hit--)
        made->outlying[random_draw(state, 15)] = 0.5 + 0.4 * synthetic_uniform(state);
}

/* One level: 15 intensities around a ridge of 1 .. 30 op/byte. More: 10 intensities each around
 * ridges of 1 .. 30, at the same Pmax, each level half as fast as the one before. */
static inline void synthetic_make(const struct setting *setting, uint64_t seed,
                                  struct synthetic *made)
{
    uint64_t state = seed;
    int rungs = setting->levels > 1 ? 10 : 15;
    double lowest = setting->levels > 1 ? 8 : 1;
    double ridge = lowest * pow(30 / lowest, synthetic_uniform(&state));
    double first = setting->first > 0 ? setting->first * ridge : 1.0 / 16;
    double last = setting->last > 0 ? setting->last * ridge : 1024;
    memset(made, 0, sizeof(*made));
    made->ladder = (struct ladder){.level_names = synthetic_names,
                                   .levels_count = setting->levels,
                                   .points = made->points,
                                   .controls = made->controls,
                                   .controls_count = 2 * (size_t)setting->rounds};
    made->peak = 1e11 * (1 + synthetic_uniform(&state));
    synthetic_drift(setting, &state, made);
    synthetic_outlying(setting, &state, made);
    for (int l = 0; l < setting->levels; l++) {
        made->sharpness[l] = setting->sharpness;
        made->bandwidth[l] = made->peak / ridge * pow(0.5, l - (setting->levels - 1));
        for (int i = 0; i < rungs; i++) {
            double intensity = first * pow(last / first, (double)i / (rungs - 1));
            double distance = fabs(log(intensity * made->bandwidth[l] / made->peak));
            if (setting->gap == 0 || distance > log(setting->gap))
                synthetic_point(setting, l, intensity, &state, made);
        }
    }
}
