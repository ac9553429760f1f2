#include "harness/record/guards.h"

#include "harness/base/quantile.h"

#include <stdlib.h>

enum { FEWEST_SAMPLES = 16 }; /* below, the median's interval spans most of the samples */

static double half_width(const struct record *point)
{
    double *seconds = malloc(point->samples_count * sizeof(*seconds));
    if (!seconds)
        return -1; /* no memory to judge: do not call it unsteady */
    for (size_t i = 0; i < point->samples_count; i++)
        seconds[i] = point->samples[i].seconds;
    double width = quantile_median_half_width(seconds, point->samples_count);
    free(seconds);
    return width;
}

void record_guard(struct record *point)
{
    const uint32_t judged = FLAG_unsteady | FLAG_too_few_samples | FLAG_incomplete_rounds;
    point->flags &= ~judged;
    if (point->samples_count == 0)
        return;
    if (half_width(point) > point->target_half_width)
        point->flags |= FLAG_unsteady;
    if (point->samples_count < FEWEST_SAMPLES)
        point->flags |= FLAG_too_few_samples;
    if (record_round_count(point) < point->rounds_planned)
        point->flags |= FLAG_incomplete_rounds;
}
