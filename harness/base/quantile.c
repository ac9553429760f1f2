#include "harness/base/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_FOR_INTERVAL = 6 };          /* 1 - 2 * 0.5^6 = 0.969; with 5 it is 0.9375 */
static const double NORMAL_975 = 1.959964; /* the normal distribution's 97.5 % point */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void quantile_sort(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
}

double quantile_of_sorted(const double *sorted, size_t count, double fraction)
{
    double position = fraction * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

static double half_width(const double *sorted, size_t count)
{
    double n = (double)count, spread = NORMAL_975 * sqrt(n) / 2;
    double low = fmax(0, floor(n / 2 - spread)), high = fmin(n - 1, ceil(n / 2 + spread));
    double median = quantile_of_sorted(sorted, count, 0.5);
    return (sorted[(size_t)high] - sorted[(size_t)low]) / (2 * median);
}

double quantile_median_half_width(const double *values, size_t count)
{
    if (count < FEWEST_FOR_INTERVAL)
        return INFINITY;
    double *sorted = malloc(count * sizeof(*sorted));
    if (!sorted)
        return -1;
    memcpy(sorted, values, count * sizeof(*sorted));
    quantile_sort(sorted, count);
    double width = half_width(sorted, count);
    free(sorted);
    return width;
}
