#include "harness/base/quantile.h"
#include "harness/model/fit_internal.h"

#include <math.h>
#include <string.h>

/* Iteratively reweighted Levenberg-Marquardt. */
static const double FIRST_DAMPING = 1e-3, DAMPING_FACTOR = 10, MOST_DAMPING = 1e8;
static const double LONGEST_STEP = 1, FAR_AWAY = 5, FLOOR = 1e-12;
static const double STARTS[] = {0.1, 0.3, 0.6}; /* 1/p */
const struct fit_loss fit_huber = {.k = 1.345}, fit_tukey = {.is_tukey = true, .k = 4.685};
enum { MOST_STEPS = 60, STARTS_COUNT = 3, BEST_COUNT = 3 };

struct bounds {
    double low[FIT_MOST], high[FIT_MOST];
};

struct normal {
    double matrix[FIT_MOST * FIT_MOST], gradient[FIT_MOST], cost;
};

static double clamp(double value, double low, double high)
{
    return fmax(low, fmin(high, value));
}

static double loss_of(struct fit_loss loss, double u)
{
    double a = fabs(u), r = a / loss.k, inside = 1 - r * r;
    if (loss.is_tukey)
        return loss.k * loss.k / 6 * (r < 1 ? 1 - inside * inside * inside : 1);
    return a <= loss.k ? u * u / 2 : loss.k * (a - loss.k / 2);
}

static double weight_of(struct fit_loss loss, double u)
{
    double r = fabs(u) / loss.k;
    if (loss.is_tukey)
        return r < 1 ? (1 - r * r) * (1 - r * r) : 0;
    return r <= 1 ? 1 : 1 / r;
}

static double cost_at(const struct fit_target *target, struct fit_loss loss,
                      const double *parameters)
{
    double cost = 0;
    for (size_t i = 0; i < target->count; i++) {
        struct fit_shape shape;
        if (target->weights[i] == 0)
            continue;
        fit_curve(parameters, target->points[i].level, target->points[i].log_intensity, &shape);
        cost += loss_of(loss, (target->readings[i] - shape.value) * target->weights[i]);
    }
    return cost;
}

static void add_point(struct normal *normal, int level, const struct fit_shape *shape,
                      double weight, double residual)
{
    const int at[3] = {FIT_PEAK, FIT_BANDWIDTH(level), FIT_SOFTNESS(level)};
    const double slope[3] = {1 - shape->memory, shape->memory, shape->softness};
    for (int a = 0; a < 3; a++) {
        normal->gradient[at[a]] += weight * slope[a] * residual;
        for (int b = 0; b < 3; b++)
            normal->matrix[at[a] * FIT_MOST + at[b]] += weight * slope[a] * slope[b];
    }
}

static void assemble(const struct fit_target *target, struct fit_loss loss,
                     const double *parameters, struct normal *normal)
{
    memset(normal, 0, sizeof(*normal));
    for (size_t i = 0; i < target->count; i++) {
        struct fit_shape shape;
        double weight = target->weights[i];
        if (weight == 0)
            continue;
        fit_curve(parameters, target->points[i].level, target->points[i].log_intensity, &shape);
        double residual = target->readings[i] - shape.value, u = residual * weight;
        normal->cost += loss_of(loss, u);
        add_point(normal, target->points[i].level, &shape, weight * weight * weight_of(loss, u),
                  residual);
    }
}

/* A parameter that its bound holds does not move: its row becomes that of the identity. */
static void hold_at_bounds(struct normal *normal, int size, const struct bounds *bounds,
                           const double *parameters)
{
    for (int k = 0; k < size; k++) {
        double push = normal->gradient[k];
        bool held = (parameters[k] <= bounds->low[k] && push <= 0) ||
                    (parameters[k] >= bounds->high[k] && push >= 0);
        if (!held)
            continue;
        for (int j = 0; j < size; j++)
            normal->matrix[k * FIT_MOST + j] = normal->matrix[j * FIT_MOST + k] = 0;
        normal->matrix[k * FIT_MOST + k] = 1;
        normal->gradient[k] = 0;
    }
}

static double largest_diagonal(const double *matrix, int size)
{
    double most = 0;
    for (int k = 0; k < size; k++)
        most = fmax(most, matrix[k * FIT_MOST + k]);
    return most;
}

static bool step_from(const struct normal *normal, int size, double damping, double *step)
{
    double matrix[FIT_MOST * FIT_MOST], least = FLOOR * largest_diagonal(normal->matrix, size);
    memcpy(matrix, normal->matrix, sizeof(matrix));
    for (int k = 0; k < size; k++)
        matrix[k * FIT_MOST + k] += damping * matrix[k * FIT_MOST + k] + least;
    if (!fit_factor(matrix, size))
        return false;
    memcpy(step, normal->gradient, sizeof(normal->gradient));
    fit_back_solve(matrix, size, step);
    return true;
}

/* Ceilings stay within a factor of e^5 of what the points show: where they show nothing, the
 * verdict says so, and the solver must not run away. */
static void find_bounds(const struct fit_target *target, struct bounds *bounds)
{
    for (int k = 0; k < FIT_MOST; k++)
        bounds->low[k] = INFINITY, bounds->high[k] = -INFINITY;
    for (size_t i = 0; i < target->count; i++) {
        double rate = target->readings[i];
        if (target->weights[i] == 0)
            continue;
        int b = FIT_BANDWIDTH(target->points[i].level);
        double slope = rate - target->points[i].log_intensity;
        bounds->low[FIT_PEAK] = fmin(bounds->low[FIT_PEAK], rate - FAR_AWAY);
        bounds->high[FIT_PEAK] = fmax(bounds->high[FIT_PEAK], rate + FAR_AWAY);
        bounds->low[b] = fmin(bounds->low[b], slope - FAR_AWAY);
        bounds->high[b] = fmax(bounds->high[b], slope + FAR_AWAY);
    }
    for (int l = 0; l < target->levels_count; l++) {
        bounds->low[FIT_SOFTNESS(l)] = FIT_SHARPEST;
        bounds->high[FIT_SOFTNESS(l)] = FIT_SOFTEST;
        if (bounds->low[FIT_BANDWIDTH(l)] > bounds->high[FIT_BANDWIDTH(l)])
            bounds->low[FIT_BANDWIDTH(l)] = bounds->high[FIT_BANDWIDTH(l)] = 0;
    }
}

/* One accepted step; the drop of the cost, or a negative number where none is found. */
static double descend(const struct fit_target *target, struct fit_loss loss,
                      const struct bounds *bounds, double *damping, double *parameters)
{
    int size = 1 + 2 * target->levels_count;
    struct normal normal;
    double step[FIT_MOST], trial[FIT_MOST];
    assemble(target, loss, parameters, &normal);
    hold_at_bounds(&normal, size, bounds, parameters);
    for (; *damping < MOST_DAMPING; *damping *= DAMPING_FACTOR) {
        if (!step_from(&normal, size, *damping, step))
            continue;
        for (int k = 0; k < size; k++)
            trial[k] = clamp(parameters[k] + clamp(step[k], -LONGEST_STEP, LONGEST_STEP),
                             bounds->low[k], bounds->high[k]);
        double drop = normal.cost - cost_at(target, loss, trial);
        if (drop >= 0) {
            memcpy(parameters, trial, (size_t)size * sizeof(*trial));
            *damping /= DAMPING_FACTOR;
            return drop;
        }
    }
    return -1;
}

void fit_solve(const struct fit_target *target, struct fit_loss loss, double converged,
               double *parameters)
{
    struct bounds bounds;
    double damping = FIRST_DAMPING;
    find_bounds(target, &bounds);
    for (int k = 0; k < 1 + 2 * target->levels_count; k++)
        parameters[k] = clamp(parameters[k], bounds.low[k], bounds.high[k]);
    for (int step = 0; step < MOST_STEPS; step++)
        if (descend(target, loss, &bounds, &damping, parameters) < converged)
            return;
}

/* The median of the three largest: one of them may be an outlier. */
static double near_largest(const struct fit_target *target, int level)
{
    double best[BEST_COUNT] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < target->count; i++) {
        if (target->weights[i] == 0 || (level >= 0 && target->points[i].level != level))
            continue;
        double value = target->readings[i] - (level >= 0 ? target->points[i].log_intensity : 0);
        for (int k = 0; k < BEST_COUNT; k++)
            if (value > best[k]) {
                double smaller = best[k];
                best[k] = value;
                value = smaller;
            }
    }
    return isfinite(best[1]) ? best[1] : isfinite(best[0]) ? best[0] : 0;
}

void fit_start(const struct fit_target *target, double *parameters)
{
    double least = INFINITY;
    for (int s = 0; s < STARTS_COUNT; s++) {
        double trial[FIT_MOST] = {near_largest(target, -1)};
        for (int l = 0; l < target->levels_count; l++) {
            trial[FIT_BANDWIDTH(l)] = near_largest(target, l);
            trial[FIT_SOFTNESS(l)] = STARTS[s];
        }
        fit_solve(target, fit_huber, FIT_CLOSELY, trial);
        double cost = cost_at(target, fit_huber, trial);
        if (cost < least)
            memcpy(parameters, trial, sizeof(trial));
        least = fmin(least, cost);
    }
}

double fit_weight(const struct fit_target *target, const double *parameters, size_t point)
{
    struct fit_shape shape;
    double weight = target->weights[point];
    fit_curve(parameters, target->points[point].level, target->points[point].log_intensity, &shape);
    return weight * weight * weight_of(fit_tukey, (target->readings[point] - shape.value) * weight);
}

void fit_influence(const struct fit_target *target, const double *parameters, double *influence)
{
    int size = 1 + 2 * target->levels_count;
    struct normal normal;
    assemble(target, fit_tukey, parameters, &normal);
    double least = FLOOR * largest_diagonal(normal.matrix, size);
    for (int k = 0; k < size; k++)
        normal.matrix[k * FIT_MOST + k] += least;
    bool solved = fit_factor(normal.matrix, size);
    for (size_t i = 0; i < target->count; i++) {
        struct fit_shape shape;
        int level = target->points[i].level;
        fit_curve(parameters, level, target->points[i].log_intensity, &shape);
        double weight = fit_weight(target, parameters, i);
        double column[FIT_MOST] = {weight * (1 - shape.memory)};
        column[FIT_BANDWIDTH(level)] = weight * shape.memory;
        column[FIT_SOFTNESS(level)] = weight * shape.softness;
        if (solved)
            fit_back_solve(normal.matrix, size, column);
        for (int k = 0; k < size; k++)
            influence[(size_t)k * target->count + i] = column[k];
    }
}
