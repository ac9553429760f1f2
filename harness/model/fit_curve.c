#include "harness/model/fit_internal.h"

#include <math.h>

/* With a = log Pmax, b = log B + log I, q = 1/p and x = |a - b| / q, the curve is the soft minimum
 *
 *     f = min(a, b) - q log(1 + exp(-x))
 *
 * and its derivative by q is -log(1 + exp(-x)) - x / (exp(x) + 1). At the ridge x = 0: the dip
 * below the roofs is q log 2, linear in q, which is why the fit uses q and not p. */
void fit_curve(const double *parameters, int level, double log_intensity, struct fit_shape *shape)
{
    double peak = parameters[FIT_PEAK], slope = parameters[FIT_BANDWIDTH(level)] + log_intensity;
    double softness = parameters[FIT_SOFTNESS(level)];
    double distance = fabs(peak - slope) / softness;
    double far = exp(-distance), small = far / (1 + far), dip = log1p(far);
    shape->value = fmin(peak, slope) - softness * dip;
    shape->memory = slope < peak ? 1 - small : small;
    shape->softness = -dip - distance * small;
}
