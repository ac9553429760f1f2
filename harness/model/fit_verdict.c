/* What the ladder determines. A ceiling is determined where at least two points lie beyond the
 * ridge by a factor of two, so that the points and not the curve's form show it, and its interval
 * is narrower than +-10 %. A sharpness is, where a point lies within 4 times the ridge and the
 * interval of 1/p reaches at most 0.25 above it. */
#include "harness/model/fit_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double BEYOND = 2, WIDEST = 0.1, WIDEST_SOFTNESS = 0.25, NEAR = 4;
enum { FEWEST_BEYOND = 2 };

/* Points at or beyond twice the ridge (side 1, any level) or at or below half of it. */
static size_t count_beyond(const struct fit_work *work, int level, int side)
{
    size_t count = 0;
    for (size_t i = 0; i < work->target.count; i++) {
        const struct fit_point *point = &work->data->points[i];
        double ridge = work->parameters[FIT_PEAK] - work->parameters[FIT_BANDWIDTH(point->level)];
        bool is_there = level < 0 || point->level == level;
        is_there &= side * (point->log_intensity - ridge) >= log(BEYOND);
        count += is_there && work->excluded[i] == ROOF_KEPT;
    }
    return count;
}

static double reach_of(const struct fit_work *work, int parameter)
{
    return fit_student(work->freedoms[parameter]) * work->spreads[parameter];
}

__attribute__((format(printf, 2, 3))) static void reject(struct roof_value *value,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    value->status = ROOF_NOT_DETERMINED;
    vsnprintf(value->reason, sizeof(value->reason), format, list);
    va_end(list);
}

static void judge_ceiling(const struct fit_work *work, int parameter, size_t beyond,
                          const char *side, const char *knee, const char *what,
                          struct roof_value *value)
{
    double estimate = work->parameters[parameter], reach = reach_of(work, parameter);
    *value = (struct roof_value){.value = exp(estimate),
                                 .low = exp(estimate - reach),
                                 .high = exp(estimate + reach),
                                 .status = ROOF_DETERMINED};
    if (beyond == 0)
        reject(value, "no point lies %s of the knee%s, so %s is not determined", side, knee, what);
    else if (beyond < FEWEST_BEYOND)
        reject(value, "only one point lies %s of the knee%s, so %s is not determined", side, knee,
               what);
    else if (!(reach <= log1p(WIDEST)))
        reject(value, "the interval of %s is wider than +-%.0f %%, so it is not determined", what,
               100 * WIDEST);
}

/* How far above the estimate the drawn 1/p reach. Near the bound of the sharpest knee they pile up
 * there, and their spread about their mean says too little: so it is taken about the estimate, of
 * those above it. */
static double reach_above(const struct fit_work *work, int parameter)
{
    double estimate = work->parameters[parameter], square = 0, above = 0;
    for (size_t d = 0; d < FIT_DRAWS; d++) {
        double beyond = work->drawn[d][parameter] - estimate;
        if (beyond > 0) {
            square += beyond * beyond;
            above++;
        }
    }
    double spread = above > 0 ? sqrt(square / above) : 0;
    return fmax(reach_of(work, parameter), fit_student(work->freedoms[parameter]) * spread);
}

/* Kept points of a level at most NEAR times beside its ridge. */
static size_t count_near(const struct fit_work *work, int level)
{
    double ridge = work->parameters[FIT_PEAK] - work->parameters[FIT_BANDWIDTH(level)];
    size_t count = 0;
    for (size_t i = 0; i < work->target.count; i++) {
        const struct fit_point *point = &work->data->points[i];
        count += work->excluded[i] == ROOF_KEPT && point->level == level &&
                 fabs(point->log_intensity - ridge) <= log(NEAR);
    }
    return count;
}

static void judge_sharpness(const struct fit_work *work, int level, const char *name,
                            struct roof_value *value)
{
    double softness = work->parameters[FIT_SOFTNESS(level)];
    double reach = reach_of(work, FIT_SOFTNESS(level));
    double above = reach_above(work, FIT_SOFTNESS(level));
    double low = fmax(FIT_SHARPEST, softness - reach), high = fmin(FIT_SOFTEST, softness + above);
    *value = (struct roof_value){
        .value = 1 / softness, .low = 1 / high, .high = 1 / low, .status = ROOF_DETERMINED};
    if (!count_near(work, level))
        reject(value, "no point lies near the knee of %s, so its sharpness is not determined",
               name);
    else if (!(above <= WIDEST_SOFTNESS))
        reject(value, "the points near the knee of %s are too noisy to show its sharpness", name);
    else if (softness - reach <= FIT_SHARPEST)
        value->status = ROOF_SHARP;
}

void fit_verdict(const struct fit_work *work, const char *const *level_names,
                 struct roof_reading *reading)
{
    struct roof_value *peak = &reading->compute.asymptote;
    judge_ceiling(work, FIT_PEAK, count_beyond(work, -1, 1), "right", "", "the arithmetic ceiling",
                  peak);
    for (int l = 0; l < work->target.levels_count; l++) {
        struct roof_level *level = &reading->levels[l];
        struct roof_value *bandwidth = &level->bandwidth.asymptote;
        char knee[48], what[48];
        snprintf(knee, sizeof(knee), " of %.30s", level_names[l]);
        snprintf(what, sizeof(what), "the bandwidth of %.30s", level_names[l]);
        judge_ceiling(work, FIT_BANDWIDTH(l), count_beyond(work, l, -1), "left", knee, what,
                      bandwidth);
        bool both = peak->status == ROOF_DETERMINED && bandwidth->status == ROOF_DETERMINED;
        judge_sharpness(work, l, level_names[l], &level->sharpness);
        if (both)
            level->ridge = peak->value / bandwidth->value;
        else
            reject(&level->sharpness, "%s does not show both sides of its knee", level_names[l]);
    }
}
