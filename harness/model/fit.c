#include "harness/model/fit.h"

#include "harness/base/quantile.h"
#include "harness/model/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TYPICAL = 0.5, CAPABLE = 0.25; /* quantiles of time */
static const double FIRST_SCATTER = 0.01;
static const double MOST_ERROR = 0.05, NOTABLE_ERROR = 0.02, MUCH_NOISIER = 8;
static const double LEAST_ERROR = 1e-6; /* relative: data without any noise */
static const double MAD_TO_SIGMA = 1.4826, CHANCE = 2, MAD_VARIANCE = 1.36;
enum { DRIFT_PASSES = 2, FEWEST_POINTS = 3, PRIOR_FREEDOM = 14, LEVEL_PARAMETERS = 3 };

static void read_points(struct fit_work *work, size_t fewest_samples)
{
    for (size_t i = 0; i < work->data->points_count; i++) {
        const struct fit_point *point = &work->data->points[i];
        work->excluded[i] = point->count < fewest_samples ? ROOF_TOO_FEW_SAMPLES : ROOF_KEPT;
        work->weights[i] = work->excluded[i] == ROOF_KEPT ? 1 / FIRST_SCATTER : 0;
        work->readings[i] = 0;
        if (point->count)
            work->readings[i] = -fit_quantile(work->data->samples + point->begin, point->count,
                                              NULL, work->fraction);
    }
}

static size_t count_kept(const struct fit_work *work)
{
    size_t kept = 0;
    for (size_t i = 0; i < work->target.count; i++)
        kept += work->excluded[i] == ROOF_KEPT;
    return kept;
}

/* Median of the kept points' errors; level -1: of all. */
static double median_error(const struct fit_work *work, int level)
{
    size_t count = 0;
    for (size_t i = 0; i < work->target.count; i++)
        if (work->excluded[i] == ROOF_KEPT && (level < 0 || work->data->points[i].level == level))
            work->scratch[count++] = work->errors[i];
    quantile_sort(work->scratch, count);
    return count ? quantile_of_sorted(work->scratch, count, 0.5) : 0;
}

static void exclude_unsteady(struct fit_work *work)
{
    double typical = median_error(work, -1);
    for (size_t i = 0; i < work->target.count; i++) {
        double error = work->errors[i];
        bool unsteady =
            error > MOST_ERROR || (error > NOTABLE_ERROR && error > MUCH_NOISIER * typical);
        if (work->excluded[i] == ROOF_KEPT && unsteady)
            work->excluded[i] = ROOF_UNSTEADY;
    }
}

/* A point's error is known from few rounds, and weights that follow its chance would make the fit
 * worse and its intervals too narrow: the variance is drawn towards that of its level, which counts
 * like PRIOR_FREEDOM rounds (moderated variances: Smyth 2004). */
static void weigh_points(struct fit_work *work)
{
    double typical[LADDER_MOST_LEVELS];
    for (int l = 0; l < work->target.levels_count; l++)
        typical[l] = median_error(work, l);
    for (size_t i = 0; i < work->target.count; i++) {
        const struct fit_point *point = &work->data->points[i];
        double level = typical[point->level], known = work->errors[i];
        double freedom = point->clusters - 1;
        double misfit = fmax(1, work->misfits[point->level]);
        double error = sqrt((freedom * known * known + PRIOR_FREEDOM * level * level) /
                            (freedom + PRIOR_FREEDOM));
        work->weights[i] =
            work->excluded[i] == ROOF_KEPT ? 1 / (misfit * fmax(LEAST_ERROR, error)) : 0;
    }
}

static double residual_of(const struct fit_work *work, size_t i)
{
    struct fit_shape shape;
    const struct fit_point *point = &work->data->points[i];
    fit_curve(work->parameters, point->level, point->log_intensity, &shape);
    return work->readings[i] - shape.value;
}

/* The scatter of a level's residuals over the errors of its readings: the median of the absolute
 * values, as a standard deviation. 1 where the level has too few points to tell. */
static double misfit_of(const struct fit_work *work, int level)
{
    size_t count = 0;
    for (size_t i = 0; i < work->target.count; i++)
        if (work->excluded[i] == ROOF_KEPT && work->data->points[i].level == level)
            work->scratch[count++] = fabs(residual_of(work, i)) * work->weights[i];
    if (count <= LEVEL_PARAMETERS)
        return 1;
    quantile_sort(work->scratch, count);
    double median = quantile_of_sorted(work->scratch, count, 0.5);
    return MAD_TO_SIGMA * median * sqrt((double)count / (double)(count - LEVEL_PARAMETERS));
}

/* A machine does not follow the curve to the last per mille. Where a level's misfit is beyond what
 * chance gives, its points are no surer than they are close to the curve: their drawn deviations
 * and errors grow by it, and the intervals with them. The standard error of the MAD of n normal
 * values is sqrt(1.36 / n) of it (Rousseeuw and Croux 1993: efficiency 0.37). */
static void widen(struct fit_work *work, int level)
{
    size_t all = work->target.count, count = 0;
    for (size_t i = 0; i < all; i++)
        count += work->excluded[i] == ROOF_KEPT && work->data->points[i].level == level;
    double misfit = work->misfits[level];
    if (count == 0 || misfit <= 1 + CHANCE * sqrt(MAD_VARIANCE / (double)count))
        return;
    for (size_t i = 0; i < all; i++) {
        if (work->data->points[i].level != level)
            continue;
        work->errors[i] *= misfit;
        for (size_t d = 0; d < FIT_DRAWS; d++) {
            double *drawn = &work->draws[d * all + i];
            *drawn = work->readings[i] + misfit * (*drawn - work->readings[i]);
        }
    }
}

static void solve(struct fit_work *work)
{
    int levels = work->target.levels_count;
    for (int l = 0; l < levels; l++)
        work->misfits[l] = 1;
    weigh_points(work);
    fit_start(&work->target, work->parameters);
    fit_solve(&work->target, fit_huber, FIT_CLOSELY, work->parameters);
    for (int l = 0; l < levels; l++)
        work->misfits[l] = misfit_of(work, l);
    weigh_points(work);
    fit_solve(&work->target, fit_tukey, FIT_CLOSELY, work->parameters);
    for (int l = 0; l < levels; l++)
        widen(work, l);
    fit_influence(&work->target, work->parameters, work->influence);
    for (size_t k = 0; k < 1 + 2 * (size_t)levels; k++)
        work->freedoms[k] = fit_freedom(work, work->influence + k * work->target.count);
}

static void exclude_outliers(struct fit_work *work)
{
    for (size_t i = 0; i < work->target.count; i++)
        if (work->excluded[i] == ROOF_KEPT &&
            fabs(residual_of(work, i)) * work->weights[i] >= fit_tukey.k)
            work->excluded[i] = ROOF_OUTLIER;
}

static enum status copy_points(const struct fit_work *work, struct roof_reading *reading)
{
    reading->points = calloc(work->target.count + 1, sizeof(*reading->points));
    if (!reading->points)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu points", work->target.count);
    for (size_t i = 0; i < work->target.count; i++) {
        struct roof_point *point = &reading->points[i];
        point->excluded = work->excluded[i];
        if (work->excluded[i] == ROOF_TOO_FEW_SAMPLES)
            continue;
        point->ops_per_s = exp(work->readings[i]);
        point->residual = residual_of(work, i);
    }
    return STATUS_OK;
}

static enum status fit_reading(struct fit_work *work, const struct ladder *ladder, uint64_t seed,
                               struct roof_reading *reading)
{
    fit_draw_readings(work, seed);
    exclude_unsteady(work);
    if (count_kept(work) < FEWEST_POINTS)
        return copy_points(work, reading);
    reading->given = true;
    solve(work);
    fit_draw_curves(work);
    exclude_outliers(work);
    fit_verdict(work, ladder->level_names, reading);
    fit_plateaus(work, ladder->level_names, reading);
    for (int l = 0; l < work->target.levels_count; l++)
        reading->levels[l].misfit = work->misfits[l];
    return copy_points(work, reading);
}

/* Drift needs the shares that the curve gives memory and arithmetic; the curve, once fitted to
 * what drifted, gives them nearly right, and a second pass settles them. */
static enum status divide_drift_out(struct fit_data *data, struct fit_work *work)
{
    for (int p = 0; p < DRIFT_PASSES; p++) {
        read_points(work, FIT_FEWEST_SAMPLES);
        if (count_kept(work) < FEWEST_POINTS)
            return STATUS_OK;
        fit_start(&work->target, work->parameters);
        fit_solve(&work->target, fit_huber, FIT_CLOSELY, work->parameters);
        TRY(fit_drift(data, work->parameters));
    }
    return STATUS_OK;
}

/* FNV-1a over the samples' bits. */
static uint64_t seed_of(const struct fit_data *data)
{
    uint64_t seed = UINT64_C(14695981039346656037);
    for (size_t s = 0; s < data->samples_count; s++) {
        uint64_t bits;
        memcpy(&bits, &data->samples[s].raw, sizeof(bits));
        seed = (seed ^ bits) * UINT64_C(1099511628211);
    }
    return seed;
}

static enum status work_through(struct fit_data *data, struct fit_work *work,
                                const struct ladder *ladder, struct roof *roof)
{
    uint64_t seed = seed_of(data);
    work->fraction = TYPICAL;
    TRY(divide_drift_out(data, work));
    read_points(work, FIT_FEWEST_SAMPLES);
    TRY(fit_reading(work, ladder, seed, &roof->typical));
    work->fraction = CAPABLE;
    read_points(work, FIT_FEWEST_FOR_CAPABLE);
    return fit_reading(work, ladder, ~seed, &roof->capable);
}

static enum status with_memory(struct fit_data *data, const struct ladder *ladder,
                               struct roof *roof)
{
    size_t count = data->points_count + 1, rows = FIT_DRAWS + FIT_MOST + 4;
    struct fit_work work = {.data = data};
    double *memory = calloc(count * rows, sizeof(*memory));
    work.excluded = calloc(count, sizeof(*work.excluded));
    work.drawn = calloc(FIT_DRAWS, sizeof(*work.drawn));
    enum status status = memory && work.excluded && work.drawn
                             ? STATUS_OK
                             : FAIL(STATUS_NO_MEMORY, "no memory to fit %zu points", count);
    if (status == STATUS_OK) {
        work.draws = memory;
        work.influence = work.draws + FIT_DRAWS * count;
        work.readings = work.influence + FIT_MOST * count;
        work.errors = work.readings + count;
        work.weights = work.errors + count;
        work.scratch = work.weights + count;
        work.target = (struct fit_target){.points = data->points,
                                          .readings = work.readings,
                                          .weights = work.weights,
                                          .count = data->points_count,
                                          .levels_count = data->levels_count};
        status = work_through(data, &work, ladder, roof);
    }
    free(memory);
    free(work.excluded);
    free(work.drawn);
    return status;
}

enum status fit_ladder(const struct ladder *ladder, struct roof *roof)
{
    struct fit_data data = {0};
    *roof = (struct roof){0};
    enum status status = fit_samples_take(ladder, &data);
    if (status == STATUS_OK)
        status = with_memory(&data, ladder, roof);
    fit_samples_clear(&data);
    return status;
}

void roof_clear(struct roof *roof)
{
    free(roof->typical.points);
    free(roof->capable.points);
    *roof = (struct roof){0};
}

const char *roof_exclusion_text(enum roof_exclusion excluded)
{
    static const char *const text[] = {
        [ROOF_KEPT] = "",
        [ROOF_TOO_FEW_SAMPLES] = "too few samples",
        [ROOF_UNSTEADY] = "its rounds scatter too much",
        [ROOF_OUTLIER] = "far from the curve",
    };
    return text[excluded];
}
