#include "harness/record/median.h"

#include "harness/base/quantile.h"

#include <math.h>
#include <stdlib.h>

double record_median_seconds(const struct record *record, double *half_width)
{
    double *sorted = malloc((record->samples_count + 1) * sizeof(*sorted)), median = 0;
    *half_width = INFINITY;
    for (size_t i = 0; sorted && i < record->samples_count; i++)
        sorted[i] = record->samples[i].seconds;
    if (sorted && record->samples_count) {
        quantile_sort(sorted, record->samples_count);
        median = quantile_of_sorted(sorted, record->samples_count, 0.5);
        *half_width = quantile_median_half_width(sorted, record->samples_count);
    }
    free(sorted);
    return median;
}
