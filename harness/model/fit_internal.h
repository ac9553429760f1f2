/* What the files of the fit share. Everything is in natural logarithms: of seconds per operation
 * for samples, of op/s for readings, of byte/s for bandwidths. */
#pragma once

#include "harness/model/fit.h"

/* Parameters: log Pmax, then log B and 1/p of each level. */
enum { FIT_MOST = 1 + 2 * LADDER_MOST_LEVELS, FIT_PEAK = 0, FIT_DRAWS = 400 };
enum { FIT_FEWEST_SAMPLES = 5, FIT_FEWEST_FOR_CAPABLE = 40 };
#define FIT_BANDWIDTH(level) (1 + 2 * (level))
#define FIT_SOFTNESS(level)  (2 + 2 * (level))
#define FIT_SHARPEST         0.05 /* 1/p for p = 20 */
#define FIT_SOFTEST          1.0
#define FIT_CLOSELY          1e-6 /* converged, of the fit itself */

struct fit_sample {
    double raw,
        adjusted; /* log seconds per operation, as measured and with the drift divided out */
    int round;    /* index among the rounds that occur */
    int cluster;  /* what the bootstrap draws: the round within this point */
};

/* Samples begin .. begin + count - 1, ascending in `adjusted`. */
struct fit_point {
    int level, clusters;
    double log_intensity;
    size_t begin, count;
    double leverage; /* share of its scatter that the drift estimate took away */
};

struct fit_data {
    struct fit_point *points;
    struct fit_sample *samples;
    size_t points_count, samples_count;
    int levels_count, rounds_count;
    /* log slowness per round; effect 0 is arithmetic, 1 + l the memory of level l; NAN: none */
    double controls[1 + LADDER_MOST_LEVELS][LADDER_MOST_ROUNDS];
    double drift[1 + LADDER_MOST_LEVELS][LADDER_MOST_ROUNDS];
};

/* The curve at one point: f = log P, and its derivatives. `memory` and 1 - memory are those by
 * log B and log Pmax: the share of the time that memory takes. */
struct fit_shape {
    double value, memory, softness;
};

/* What a solver fits: a reading per point, weighed by 1 / scale (0: excluded). */
struct fit_target {
    const struct fit_point *points;
    const double *readings, *weights;
    size_t count;
    int levels_count;
};

/* Huber's loss is linear from k scales on; Tukey's biweight ignores what is beyond k. The constants
 * give 95 % of the efficiency of least squares under normal noise (Huber and Ronchetti, Robust
 * Statistics, 4.5 and 4.8). */
struct fit_loss {
    bool is_tukey;
    double k;
};
extern const struct fit_loss fit_huber, fit_tukey;

/* One reading under work. */
struct fit_work {
    const struct fit_data *data;
    double fraction;                     /* quantile of time */
    double *draws;                       /* FIT_DRAWS rows of a reading per point */
    double *readings, *errors, *weights; /* per point; errors: standard errors of the readings */
    double *influence; /* FIT_MOST rows of a number per point: d parameter / d reading */
    double *scratch;   /* a number per point, for whoever runs */
    enum roof_exclusion *excluded;
    double parameters[FIT_MOST], spreads[FIT_MOST], freedoms[FIT_MOST];
    double misfits[LADDER_MOST_LEVELS]; /* scatter about the curve over the errors, about 1 */
    struct fit_target target;
    double (*drawn)[FIT_MOST]; /* the parameters of each draw */
};

/* fit_linear.c: symmetric positive definite systems of up to FIT_MOST unknowns, row-major with
 * FIT_MOST columns. Factor in place (Cholesky); false where it is not positive definite. */
bool fit_factor(double *matrix, int size);
void fit_back_solve(const double *factor, int size, double *vector);

/* fit_curve.c */
void fit_curve(const double *parameters, int level, double log_intensity, struct fit_shape *shape);

/* fit_solve.c */
void fit_start(const struct fit_target *target, double *parameters);
/* Goes on until a step lowers the cost by less than `converged`; the cost is half a chi square, so
 * a drop of x moves parameters by up to sqrt(2 x) of their standard errors. */
void fit_solve(const struct fit_target *target, struct fit_loss loss, double converged,
               double *parameters);
/* What a point weighs in the end: 1 / scale^2 times Tukey's biweight of its residual. */
double fit_weight(const struct fit_target *target, const double *parameters, size_t point);
/* d parameter / d reading of the points, at the solution: row k, column i. */
void fit_influence(const struct fit_target *target, const double *parameters, double *influence);

/* fit_samples.c */
enum status fit_samples_take(const struct ladder *ladder, struct fit_data *data);
void fit_samples_sort(struct fit_data *data); /* by `adjusted`, within each point */
void fit_samples_clear(struct fit_data *data);
/* The quantile of a point's adjusted samples, each counted as often as its cluster was drawn;
 * times == NULL: once. */
double fit_quantile(const struct fit_sample *samples, size_t count, const int *times,
                    double fraction);

/* fit_drift.c */
enum status fit_drift(struct fit_data *data, const double *parameters);

/* fit_bootstrap.c */
void fit_draw_readings(struct fit_work *work, uint64_t seed);
void fit_draw_curves(struct fit_work *work);
double fit_student(double freedom); /* 97.5 % point of Student's t */
/* Spread of the FIT_DRAWS values, their stride given. */
double fit_spread(const double *values, size_t stride);
/* Satterthwaite's degrees of freedom of a sum of readings with these coefficients. */
double fit_freedom(const struct fit_work *work, const double *coefficients);

/* fit_plateau.c, fit_verdict.c */
void fit_plateaus(const struct fit_work *work, const char *const *level_names,
                  struct roof_reading *reading);
void fit_verdict(const struct fit_work *work, const char *const *level_names,
                 struct roof_reading *reading);
