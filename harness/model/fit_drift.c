/* Drift: how much slower the arithmetic, and each level's memory, was in one round than in the mean
 * of all. A point feels both, in the shares that the curve gives them at its intensity; so its
 * rounds' speeds form a two-way table (point + share x round) that is solved alternately, with
 * Huber weights. The controls are rows of that table like any point, each weighed by its own
 * scatter: a control with 1 % of noise helps little where ten points show the drift to 0.2 %. What
 * an effect seems to scatter by its own uncertainty is no drift: each is shrunk by
 * tau^2 / (tau^2 + s^2), tau^2 the variance of the drift by moments (empirical Bayes; Searle,
 * Casella and McCulloch, Variance Components, 1992), so that a steady machine is left alone. */
#include "harness/base/quantile.h"
#include "harness/model/fit_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HUBER = 1.5, CONTROL_SCATTER = 0.01, UNSEEN = 1e-6, NO_DRIFT = 1e18;
static const double SEEN = 0.01;   /* of the largest weight: less shows nothing of an effect */
static const double FLOOR = 1e-12; /* variance: a millionth, for data without noise */
enum { PASSES = 8, PRIOR_ROWS = 4, EFFECTS = 1 + LADDER_MOST_LEVELS };

struct row {
    double share[EFFECTS]; /* how much of each effect it feels; sums to 1 */
    double cells[LADDER_MOST_ROUNDS], weights[LADDER_MOST_ROUNDS];
    double centre, variance;
    double leverage; /* summed over the rounds */
    int filled;
};

struct table {
    struct row *rows;
    size_t rows_count, points_count;
    int rounds_count, effects_count;
    double precision[EFFECTS];   /* 1 / tau^2 */
    double uncertainty[EFFECTS]; /* variance, summed over the rounds that show the effect */
    int seen_rounds[EFFECTS];
    double (*drift)[LADDER_MOST_ROUNDS];
    double *scratch;
};

/* The mean of the faster half, the middle sample counting half where their number is odd. Slow
 * outliers do not reach it; its variance, from the influence function 2 min(x, median), is 1.36 / n
 * of normal noise's and 0.23 / n of exponential noise's, where the median has 1.57 and 1.00. */
static double speed_of_round(const struct fit_sample *samples, size_t count, int round,
                             double *scratch)
{
    size_t found = 0;
    double sum = 0;
    for (size_t s = 0; s < count; s++)
        if (samples[s].round == round)
            scratch[found++] = samples[s].raw;
    if (found == 0)
        return NAN;
    double half = fmax(1, (double)found / 2);
    quantile_sort(scratch, found);
    for (size_t s = 0; (double)s < half; s++)
        sum += scratch[s] * fmin(1, half - (double)s);
    return sum / half;
}

static void fill_points(const struct fit_data *data, const double *parameters, struct table *table)
{
    for (size_t i = 0; i < data->points_count; i++) {
        const struct fit_point *point = &data->points[i];
        struct row *row = &table->rows[i];
        struct fit_shape shape;
        fit_curve(parameters, point->level, point->log_intensity, &shape);
        row->share[0] = 1 - shape.memory;
        row->share[1 + point->level] = shape.memory;
        for (int r = 0; r < table->rounds_count; r++)
            row->cells[r] =
                speed_of_round(data->samples + point->begin, point->count, r, table->scratch);
    }
}

static void fill_table(const struct fit_data *data, const double *parameters, struct table *table)
{
    fill_points(data, parameters, table);
    for (int e = 0; e < table->effects_count; e++) {
        struct row *row = &table->rows[data->points_count + (size_t)e];
        row->share[e] = 1;
        memcpy(row->cells, data->controls[e], sizeof(row->cells));
    }
    for (size_t i = 0; i < table->rows_count; i++) {
        struct row *row = &table->rows[i];
        row->variance = CONTROL_SCATTER * CONTROL_SCATTER;
        for (int r = 0; r < table->rounds_count; r++) {
            row->weights[r] = isfinite(row->cells[r]) ? 1 : 0;
            row->filled += isfinite(row->cells[r]) ? 1 : 0;
        }
    }
}

static double drift_at(const struct table *table, const struct row *row, int round)
{
    double sum = 0;
    for (int e = 0; e < table->effects_count; e++)
        sum += row->share[e] * table->drift[e][round];
    return sum;
}

static void centre_row(const struct table *table, struct row *row)
{
    double sum = 0, weights = 0;
    for (int r = 0; r < table->rounds_count; r++) {
        if (row->weights[r] > 0)
            sum += row->weights[r] * (row->cells[r] - drift_at(table, row, r));
        weights += row->weights[r];
    }
    row->centre = weights > 0 ? sum / weights : 0;
}

/* The variance of a row's cells about the drift, drawn towards `typical` by PRIOR_ROWS cells. */
static void weigh_row(const struct table *table, struct row *row, double typical)
{
    double scale = sqrt(row->variance), sum = PRIOR_ROWS * typical;
    for (int r = 0; r < table->rounds_count; r++) {
        if (!isfinite(row->cells[r]))
            continue;
        double residual = fabs(row->cells[r] - row->centre - drift_at(table, row, r));
        row->weights[r] = residual <= HUBER * scale ? 1 : HUBER * scale / residual;
        sum += row->weights[r] * residual * residual;
    }
    row->variance = fmax(FLOOR, sum / (row->filled + PRIOR_ROWS));
}

static double typical_variance(const struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->points_count; i++)
        if (table->rows[i].filled > 1)
            table->scratch[count++] = table->rows[i].variance;
    quantile_sort(table->scratch, count);
    return count ? quantile_of_sorted(table->scratch, count, 0.5) : FLOOR;
}

/* The effects of one round: weighted least squares with the prior's precision. UNSEEN, relative
 * to the largest weight, keeps effects apart that no row shows. */
static void solve_round(struct table *table, int round)
{
    double matrix[FIT_MOST * FIT_MOST] = {0}, vector[FIT_MOST] = {0}, most = FLOOR;
    int size = table->effects_count;
    for (size_t i = 0; i < table->rows_count; i++) {
        const struct row *row = &table->rows[i];
        if (row->weights[round] == 0)
            continue;
        double weight = row->weights[round] / row->variance;
        for (int a = 0; a < size; a++) {
            vector[a] += weight * row->share[a] * (row->cells[round] - row->centre);
            for (int b = 0; b < size; b++)
                matrix[a * FIT_MOST + b] += weight * row->share[a] * row->share[b];
        }
        most = fmax(most, weight);
    }
    bool is_seen[EFFECTS] = {false};
    for (int e = 0; e < size; e++) {
        is_seen[e] = matrix[e * FIT_MOST + e] > SEEN * most;
        matrix[e * FIT_MOST + e] += table->precision[e] + UNSEEN * most;
    }
    if (!fit_factor(matrix, size))
        return;
    fit_back_solve(matrix, size, vector);
    for (int e = 0; e < size; e++) {
        double unit[FIT_MOST] = {0};
        unit[e] = 1;
        fit_back_solve(matrix, size, unit);
        table->drift[e][round] = vector[e];
        table->uncertainty[e] += is_seen[e] ? unit[e] : 0;
        table->seen_rounds[e] += is_seen[e];
    }
    for (size_t i = 0; i < table->rows_count; i++) {
        struct row *row = &table->rows[i];
        double share[FIT_MOST] = {0}, hat = 0;
        memcpy(share, row->share, sizeof(row->share));
        fit_back_solve(matrix, size, share);
        for (int e = 0; e < size; e++)
            hat += row->share[e] * share[e];
        row->leverage += row->weights[round] / row->variance * hat;
    }
}

static double mean_of_rounds(const double *values, int count)
{
    double sum = 0;
    for (int r = 0; r < count; r++)
        sum += values[r];
    return sum / count;
}

static void solve_rounds(struct table *table)
{
    memset(table->uncertainty, 0, sizeof(table->uncertainty));
    memset(table->seen_rounds, 0, sizeof(table->seen_rounds));
    for (size_t i = 0; i < table->rows_count; i++)
        table->rows[i].leverage = 0;
    for (int r = 0; r < table->rounds_count; r++)
        solve_round(table, r);
    for (int e = 0; e < table->effects_count; e++) {
        double mean = mean_of_rounds(table->drift[e], table->rounds_count);
        for (int r = 0; r < table->rounds_count; r++)
            table->drift[e][r] -= mean;
    }
}

static void pass(struct table *table)
{
    double typical = typical_variance(table);
    for (size_t i = 0; i < table->rows_count; i++) {
        struct row *row = &table->rows[i];
        bool is_control = i >= table->points_count;
        centre_row(table, row);
        weigh_row(table, row, is_control ? CONTROL_SCATTER * CONTROL_SCATTER : typical);
    }
    solve_rounds(table);
}

/* Only rounds that show an effect tell how much it moves: one that does not would make the
 * uncertainty endless, and the drift of all rounds would count for nothing. */
static void set_priors(struct table *table)
{
    for (int e = 0; e < table->effects_count; e++) {
        int seen = table->seen_rounds[e];
        double square = 0;
        for (int r = 0; r < table->rounds_count; r++)
            square += table->drift[e][r] * table->drift[e][r];
        double tau2 = seen > 1 ? square / (seen - 1) - table->uncertainty[e] / seen : 0;
        table->precision[e] = tau2 > 1 / NO_DRIFT ? 1 / tau2 : NO_DRIFT;
    }
}

/* The drift moves the ridge, so a point near the knee feels more than its share: the shift is the
 * difference of two curves. */
static void adjust(struct fit_data *data, const double *parameters)
{
    for (int r = 0; r < data->rounds_count; r++) {
        double drifted[FIT_MOST];
        memcpy(drifted, parameters, sizeof(drifted));
        drifted[FIT_PEAK] -= data->drift[0][r];
        for (int l = 0; l < data->levels_count; l++)
            drifted[FIT_BANDWIDTH(l)] -= data->drift[1 + l][r];
        for (size_t i = 0; i < data->points_count; i++) {
            const struct fit_point *point = &data->points[i];
            struct fit_sample *samples = data->samples + point->begin;
            struct fit_shape steady, moved;
            fit_curve(parameters, point->level, point->log_intensity, &steady);
            fit_curve(drifted, point->level, point->log_intensity, &moved);
            for (size_t s = 0; s < point->count; s++)
                if (samples[s].round == r)
                    samples[s].adjusted = samples[s].raw + moved.value - steady.value;
        }
    }
}

static void finish(struct fit_data *data, const struct table *table, const double *parameters)
{
    for (size_t i = 0; i < data->points_count; i++)
        data->points[i].leverage = table->rows[i].leverage / table->rounds_count;
    adjust(data, parameters);
    fit_samples_sort(data);
}

/* Mean distance of a row's cells from their mean, with its drift divided out, but for the share of
 * effect `without` (-1: all of it). */
static double scatter_of_row(const struct table *table, const struct row *row, int without)
{
    double rest[LADDER_MOST_ROUNDS], mean = 0, distance = 0;
    int count = 0;
    for (int r = 0; r < table->rounds_count; r++) {
        if (!isfinite(row->cells[r]))
            continue;
        double kept = without >= 0 ? row->share[without] * table->drift[without][r] : 0;
        rest[count] = row->cells[r] - drift_at(table, row, r) + kept;
        mean += rest[count++];
    }
    for (int r = 0; r < count; r++)
        distance += fabs(rest[r] - mean / count) / count;
    return distance;
}

/* A control that is disturbed where the points are not would carry its own trouble into them: an
 * effect after which the points that feel it most scatter more between rounds than before is none.
 */
static void drop_harmful(struct table *table)
{
    static const double MOSTLY = 0.5;
    for (int e = 0; e < table->effects_count; e++) {
        double divided = 0, left = 0;
        for (size_t i = 0; i < table->points_count; i++) {
            const struct row *row = &table->rows[i];
            if (row->share[e] < MOSTLY)
                continue;
            divided += scatter_of_row(table, row, -1);
            left += scatter_of_row(table, row, e);
        }
        if (divided > left)
            memset(table->drift[e], 0, sizeof(table->drift[e]));
    }
}

/* Starts from what the controls say. Where the points of a round share none with the others, the
 * passes would take long to get there; where they do, the first pass forgets the start. */
static void start(struct fit_data *data)
{
    memset(data->drift, 0, sizeof(data->drift));
    for (int e = 0; e <= data->levels_count; e++) {
        double sum = 0, count = 0;
        for (int r = 0; r < data->rounds_count; r++)
            if (isfinite(data->controls[e][r])) {
                sum += data->controls[e][r];
                count++;
            }
        for (int r = 0; r < data->rounds_count; r++)
            if (isfinite(data->controls[e][r]))
                data->drift[e][r] = data->controls[e][r] - sum / count;
    }
}

enum status fit_drift(struct fit_data *data, const double *parameters)
{
    size_t rows = data->points_count + 1 + (size_t)data->levels_count;
    struct table table = {.rows_count = rows,
                          .points_count = data->points_count,
                          .rounds_count = data->rounds_count,
                          .effects_count = 1 + data->levels_count,
                          .drift = data->drift};
    start(data);
    table.rows = calloc(rows, sizeof(*table.rows));
    table.scratch = calloc(data->samples_count + rows, sizeof(*table.scratch));
    enum status status =
        table.rows && table.scratch
            ? STATUS_OK
            : FAIL(STATUS_NO_MEMORY, "no memory for the drift of %zu points", rows);
    if (status == STATUS_OK) {
        fill_table(data, parameters, &table);
        for (int p = 0; p < PASSES && data->rounds_count > 1; p++)
            pass(&table);
        if (data->rounds_count > 1) {
            set_priors(&table);
            pass(&table);
            drop_harmful(&table);
        }
        finish(data, &table, parameters);
    }
    free(table.rows);
    free(table.scratch);
    return status;
}
