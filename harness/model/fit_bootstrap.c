/* The bootstrap over rounds.
 *
 * Each draw takes, for every point, as many of its rounds as it has, with replacement and with all
 * their samples (a cluster bootstrap: what is common to a slice stays together; Davison and
 * Hinkley, Bootstrap Methods, 3.8), reads the quantile, and fits the curve again from the full
 * fit's parameters. The rounds are drawn for each point by itself: what the points of a round have
 * in common is the drift, which has been divided out, and drawing them together would find nothing
 * left of it in just those directions, and would see intervals of no width.
 *
 * With few rounds the spread of such draws is too small, by the factor (C - 1) / C in variance for
 * C rounds, and by 1 - h for the share h of a point's scatter that the drift estimate took. Each
 * drawn deviation is therefore multiplied by sqrt(C / (C - 1) / (1 - h)) (Davison and Hinkley 2.4
 * and 6.2: modified residuals). The interval is the estimate -+ t s in logarithms, s the spread of
 * the drawn parameters and t Student's quantile with Satterthwaite's degrees of freedom (Biometrics
 * Bulletin 2, 1946): C - 1 for each point, weighed by its share of the parameter's variance. */
#include "harness/model/fit_internal.h"
#include "harness/model/random.h"

#include <math.h>
#include <string.h>

static const double MOST_LEVERAGE = 0.9;
static const double NORMAL_975 = 1.959964; /* the normal distribution's 97.5 % point */
static const double CONVERGED = 1e-3; /* of a draw: 0.04 standard errors are lost in its spread */

static double inflation_of(const struct fit_point *point)
{
    double clusters = point->clusters, leverage = fmin(MOST_LEVERAGE, point->leverage);
    return clusters > 1 ? sqrt(clusters / (clusters - 1) / (1 - leverage)) : 1;
}

static double draw_reading(const struct fit_work *work, const struct fit_point *point,
                           uint64_t *state)
{
    int times[LADDER_MOST_ROUNDS] = {0};
    size_t clusters = (size_t)point->clusters;
    for (size_t c = 0; c < clusters; c++)
        times[random_draw(state, clusters)]++;
    return -fit_quantile(work->data->samples + point->begin, point->count, times, work->fraction);
}

double fit_spread(const double *values, size_t stride)
{
    double mean = 0, square = 0;
    for (size_t d = 0; d < FIT_DRAWS; d++)
        mean += values[d * stride] / FIT_DRAWS;
    for (size_t d = 0; d < FIT_DRAWS; d++)
        square += (values[d * stride] - mean) * (values[d * stride] - mean);
    return sqrt(square / (FIT_DRAWS - 1));
}

void fit_draw_readings(struct fit_work *work, uint64_t seed)
{
    size_t count = work->data->points_count;
    uint64_t state = seed;
    for (size_t i = 0; i < count; i++) {
        const struct fit_point *point = &work->data->points[i];
        work->errors[i] = 0;
        if (work->excluded[i] != ROOF_KEPT)
            continue;
        double inflation = inflation_of(point), reading = work->readings[i];
        for (size_t d = 0; d < FIT_DRAWS; d++)
            work->draws[d * count + i] =
                reading + inflation * (draw_reading(work, point, &state) - reading);
        work->errors[i] = fit_spread(work->draws + i, count);
    }
}

/* Expansion in 1 / freedom: Abramowitz and Stegun 26.7.5; within 1 % from 3 on. */
double fit_student(double freedom)
{
    double z = NORMAL_975, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, n = fmax(1, freedom);
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

double fit_freedom(const struct fit_work *work, const double *coefficients)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < work->target.count; i++) {
        double part = coefficients[i] * work->errors[i], freedom = work->data->points[i].clusters;
        if (work->excluded[i] != ROOF_KEPT)
            continue;
        sum += part * part;
        squares += part * part * part * part / fmax(1, freedom - 1);
    }
    return squares > 0 ? sum * sum / squares : 1;
}

void fit_draw_curves(struct fit_work *work)
{
    struct fit_target target = work->target;
    size_t size = 1 + 2 * (size_t)target.levels_count;
    for (size_t d = 0; d < FIT_DRAWS; d++) {
        target.readings = work->draws + d * target.count;
        memcpy(work->drawn[d], work->parameters, sizeof(work->parameters));
        fit_solve(&target, fit_tukey, CONVERGED, work->drawn[d]);
    }
    for (size_t k = 0; k < size; k++)
        work->spreads[k] = fit_spread(&work->drawn[0][k], FIT_MOST);
}
