#include "harness/model/fit_internal.h"

#include <math.h>
#include <stdio.h>

static const double FAR_FROM_RIDGE = 8, MOST_DIFFERENCE = 0.02;

/* The points of one plateau: their weights, which sum to 1, and 0 for the others. `slope` 1 reads
 * P / I, the bandwidth; 0 reads P. */
struct plateau {
    const struct fit_work *work;
    double *weights;
    double slope;
    size_t count;
};

static double reading_of(const struct plateau *plateau, const double *readings, size_t i)
{
    return readings[i] - plateau->slope * plateau->work->data->points[i].log_intensity;
}

/* The mean of the logarithms. It is robust since the biweight of the curve's fit chose the points:
 * one that misses the curve is not among them, while the slow rise of a soft knee towards its
 * asymptote is no reason to drop a point. */
static double kept_mean(const struct plateau *plateau, const double *readings)
{
    double sum = 0;
    for (size_t i = 0; i < plateau->work->target.count; i++)
        if (plateau->weights[i] > 0)
            sum += plateau->weights[i] * reading_of(plateau, readings, i);
    return sum;
}

/* level -1: of the arithmetic, from all levels. */
static void choose(struct plateau *plateau, int level)
{
    const struct fit_work *work = plateau->work;
    const double far = log(FAR_FROM_RIDGE);
    for (size_t i = 0; i < work->target.count; i++) {
        const struct fit_point *point = &work->data->points[i];
        double ridge = work->parameters[FIT_PEAK] - work->parameters[FIT_BANDWIDTH(point->level)];
        double beyond = point->log_intensity - ridge;
        bool belongs = level < 0 ? beyond >= far : point->level == level && beyond <= -far;
        belongs &= work->excluded[i] == ROOF_KEPT;
        plateau->weights[i] = belongs;
        plateau->count += belongs;
    }
    for (size_t i = 0; i < work->target.count && plateau->count; i++)
        plateau->weights[i] /= (double)plateau->count;
}

static void measure(const struct plateau *plateau, struct roof_value *value)
{
    const struct fit_work *work = plateau->work;
    size_t count = work->target.count;
    double drawn[FIT_DRAWS], mean = kept_mean(plateau, work->readings);
    for (size_t d = 0; d < FIT_DRAWS; d++)
        drawn[d] = kept_mean(plateau, work->draws + d * count);
    double freedom = fit_freedom(work, plateau->weights);
    double reach = fit_student(freedom) * fit_spread(drawn, 1);
    *value = (struct roof_value){.value = exp(mean),
                                 .low = exp(mean - reach),
                                 .high = exp(mean + reach),
                                 .status = ROOF_DETERMINED};
}

static void publish(const char *what, struct roof_ceiling *ceiling)
{
    bool has_plateau = ceiling->plateau.status == ROOF_DETERMINED;
    bool has_asymptote = ceiling->asymptote.status == ROOF_DETERMINED;
    if (!has_plateau)
        snprintf(ceiling->plateau.reason, sizeof(ceiling->plateau.reason),
                 "no point lies far enough from the knee to show the plateau of %s", what);
    ceiling->differs =
        has_plateau && has_asymptote &&
        fabs(log(ceiling->plateau.value / ceiling->asymptote.value)) > log1p(MOST_DIFFERENCE);
    ceiling->basis = has_plateau     ? ROOF_FROM_PLATEAU
                     : has_asymptote ? ROOF_FROM_ASYMPTOTE
                                     : ROOF_FROM_NOTHING;
    ceiling->published = has_plateau ? ceiling->plateau : ceiling->asymptote;
}

void fit_plateaus(const struct fit_work *work, const char *const *level_names,
                  struct roof_reading *reading)
{
    for (int level = -1; level < work->target.levels_count; level++) {
        struct plateau plateau = {
            .work = work, .weights = work->scratch, .slope = level < 0 ? 0 : 1};
        struct roof_ceiling *ceiling =
            level < 0 ? &reading->compute : &reading->levels[level].bandwidth;
        choose(&plateau, level);
        ceiling->plateau_points = plateau.count;
        if (plateau.count)
            measure(&plateau, &ceiling->plateau);
        publish(level < 0 ? "the arithmetic" : level_names[level], ceiling);
    }
}
