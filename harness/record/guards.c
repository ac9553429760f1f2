#include "harness/record/guards.h"

#include "harness/record/median.h"

enum { FEWEST_SAMPLES = 16 }; /* below, the median's interval spans most of the samples */

void record_guard(struct record *point)
{
    const uint32_t judged = FLAG_unsteady | FLAG_too_few_samples | FLAG_incomplete_rounds;
    point->flags &= ~judged;
    if (point->samples_count == 0)
        return;
    double half_width;
    record_median_seconds(point, &half_width);
    if (half_width > point->target_half_width)
        point->flags |= FLAG_unsteady;
    if (point->samples_count < FEWEST_SAMPLES)
        point->flags |= FLAG_too_few_samples;
    if (record_round_count(point) < point->rounds_planned)
        point->flags |= FLAG_incomplete_rounds;
}
