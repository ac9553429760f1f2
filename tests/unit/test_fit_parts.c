/* The parts of the fit that a wrong formula would only make slow or slightly wrong. */
#include "harness/model/fit_internal.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

static double slope_of_curve(const double *parameters, int k, double log_intensity)
{
    const double step = 1e-6;
    struct fit_shape less, more;
    double moved[FIT_MOST];
    memcpy(moved, parameters, sizeof(moved));
    moved[k] = parameters[k] + step;
    fit_curve(moved, 0, log_intensity, &more);
    moved[k] = parameters[k] - step;
    fit_curve(moved, 0, log_intensity, &less);
    return (more.value - less.value) / (2 * step);
}

static void the_slopes_of_the_curve_are_those_of_its_values(void **state)
{
    (void)state;
    for (double softness = 0.05; softness <= 1; softness += 0.19)
        for (double x = -3; x <= 3; x += 0.7) {
            const double parameters[FIT_MOST] = {25, 24, softness};
            double sum = exp(-25 / softness) + exp(-(24 + x) / softness),
                   model = pow(sum, -softness);
            struct fit_shape shape;
            fit_curve(parameters, 0, x, &shape);
            assert_true(fabs(exp(shape.value) / model - 1) < 1e-12);
            assert_true(fabs(slope_of_curve(parameters, 0, x) - (1 - shape.memory)) < 1e-6);
            assert_true(fabs(slope_of_curve(parameters, 1, x) - shape.memory) < 1e-6);
            assert_true(fabs(slope_of_curve(parameters, 2, x) - shape.softness) < 1e-6);
        }
}

/* Tables give 12.706, 3.182, 2.365 and 2.021 for 1, 3, 7 and 40; the expansion is used from 3 on.
 */
static void students_quantile_is_that_of_the_tables(void **state)
{
    (void)state;
    assert_true(fabs(fit_student(3) - 3.182) < 0.03);
    assert_true(fabs(fit_student(7) - 2.365) < 0.002);
    assert_true(fabs(fit_student(40) - 2.021) < 0.001);
}

static void a_quantile_counts_samples_as_often_as_their_cluster_was_drawn(void **state)
{
    (void)state;
    const int times[] = {2, 0, 1};
    const struct fit_sample samples[] = {{.adjusted = 1, .cluster = 0},
                                         {.adjusted = 2, .cluster = 1},
                                         {.adjusted = 4, .cluster = 2},
                                         {.adjusted = 8, .cluster = 0}};
    assert_true(fit_quantile(samples, 4, NULL, 0.5) == 3);                    /* 1 2 4 8 */
    assert_true(fit_quantile(samples, 4, times, 0.5) == 4);                   /* 1 1 4 8 8 */
    assert_true(fit_quantile(samples, 4, times, 0.25) == 1);                  /* the 1.5th */
    assert_true(fit_quantile(samples, 4, times, 0.41666666666666669) == 2.5); /* the 2.5th */
    assert_true(fit_quantile(samples, 4, times, 0.01) == 1);
    assert_true(fit_quantile(samples, 4, times, 0.99) == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slopes_of_the_curve_are_those_of_its_values),
        cmocka_unit_test(students_quantile_is_that_of_the_tables),
        cmocka_unit_test(a_quantile_counts_samples_as_often_as_their_cluster_was_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
