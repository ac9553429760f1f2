/* Claims against latencies. The curve of a hierarchy is flat within a level and rises behind it;
 * a claim is believed where a rise stands at its size. */
#include "harness/base/units.h"
#include "harness/measure/levels_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MAX = 8 };

/* Within a level the latency drifts by some 10 % per octave (page walks, distant slices);
 * behind it, even a cache that others share lets it rise by half. */
static const double plateau_per_octave = 1.1;
static const double rise_per_octave = 1.25;
static const double least_step_ratio = 1.6;

/* A level ends at the largest size whose latency has gone less than this part of the way, on a
 * logarithmic axis, from its own to the next level's. At 1.5 times its capacity a cache with
 * random replacement has gone 0.75 of it (hit rate h = exp(-1.5 (1 - h)) = 0.42, next level 5
 * times slower), one with least-recently-used replacement all of it. */
static const double end_of_level = 0.6;

/* How far probe and claim may differ, so that identical machines get identical sizes. */
static const double claim_tolerance = 0.35;

/* Of a cache that other cores share, neighbours may hold the larger part, and in a virtual
 * machine nobody tells: 12 to 24 of 32 MiB were seen within ten minutes. The step then tells
 * today's share and not the size, so a claim is doubted only where less than this answers. */
static const double least_share = 0.25;

struct step {
    double low_seconds, high_seconds; /* before it and behind it */
    int64_t size_bytes;               /* where the level before it ends */
    bool used;
};

double latency_curve_at(const struct latency_curve *curve, double size_bytes)
{
    if (curve->count == 0)
        return 0;
    int i = 0;
    while (i < curve->count && (double)curve->size_bytes[i] < size_bytes)
        i++;
    if (i == 0 || i == curve->count)
        return curve->seconds[i ? i - 1 : 0];
    double below = (double)curve->size_bytes[i - 1], above = (double)curve->size_bytes[i];
    double part = log(size_bytes / below) / log(above / below);
    return curve->seconds[i - 1] * pow(curve->seconds[i] / curve->seconds[i - 1], part);
}

/* A larger set is never faster, and noise only adds: what is above any later point is noise. */
static struct latency_curve envelope(const struct latency_curve *curve)
{
    struct latency_curve clean = *curve;
    for (int i = clean.count - 2; i >= 0; i--)
        if (clean.seconds[i] > clean.seconds[i + 1])
            clean.seconds[i] = clean.seconds[i + 1];
    return clean;
}

static double growth_per_octave(const struct latency_curve *curve, int i)
{
    return latency_curve_at(curve, 2 * (double)curve->size_bytes[i]) / curve->seconds[i];
}

static bool rises(const struct latency_curve *curve, int i)
{
    return i < curve->count && growth_per_octave(curve, i) > rise_per_octave;
}

/* Whether a rise that has reached point i goes on behind it. One point that is merely less
 * steep does not part it in two: a soft step with noise on it looks like that. */
static bool goes_on(const struct latency_curve *curve, int i)
{
    return rises(curve, i + 1) ||
           (rises(curve, i + 2) && growth_per_octave(curve, i + 1) > plateau_per_octave);
}

/* The step that starts at point `first` and has climbed at point `last`. */
static struct step make_step(const struct latency_curve *curve, int first, int last)
{
    struct step step = {.low_seconds = curve->seconds[first], .high_seconds = curve->seconds[last]};
    double ratio = step.high_seconds / step.low_seconds;
    double limit_seconds = step.low_seconds * pow(ratio, end_of_level);
    int end = first;
    while (end < last && curve->seconds[end + 1] <= limit_seconds)
        end++;
    step.size_bytes = curve->size_bytes[end];
    return step;
}

static int find_steps(const struct latency_curve *curve, struct step steps[STEPS_MAX])
{
    int count = 0;
    for (int i = 0; i < curve->count && count < STEPS_MAX; i++) {
        if (!rises(curve, i))
            continue;
        int first = i;
        while (goes_on(curve, i))
            i++;
        int last = i;
        while (last + 1 < curve->count && curve->size_bytes[last] < 2 * curve->size_bytes[i])
            last++;
        struct step step = make_step(curve, first, last);
        if (step.high_seconds >= least_step_ratio * step.low_seconds)
            steps[count++] = step;
    }
    return count;
}

/* Whether this step is the end of a cache of this size: the probe is near the claim, or half
 * the claim is still fast and four times the claim is slow. */
static bool confirms(const struct latency_curve *curve, const struct step *step, int64_t claim)
{
    double size_bytes = (double)step->size_bytes, claim_bytes = (double)claim;
    if (fabs(claim_bytes - size_bytes) <= claim_tolerance * size_bytes)
        return true;
    double ratio = step->high_seconds / step->low_seconds;
    return size_bytes >= claim_bytes / 2 && size_bytes <= 2 * claim_bytes &&
           latency_curve_at(curve, claim_bytes / 2) <= step->low_seconds * pow(ratio, 1.0 / 3) &&
           latency_curve_at(curve, 4 * claim_bytes) >= step->low_seconds * pow(ratio, 2.0 / 3);
}

static void settle(struct level *level, struct step *step, int64_t capacity_bytes)
{
    level->capacity_bytes = capacity_bytes;
    level->probed_bytes = step->size_bytes;
    step->used = true;
}

static bool is_share_of(const struct step *step, const struct level *level, int64_t claim)
{
    double part = (double)step->size_bytes / (double)claim;
    return level->shared && part >= least_share && part <= 1;
}

/* Gives the level the first free step that confirms what sysfs says, else what CPUID says. */
static void confirm(struct level *level, const struct latency_curve *curve, struct step *steps,
                    int step_count)
{
    const int64_t claims[] = {level->claimed_bytes, level->cpuid_bytes};
    for (int c = 0; c < 2; c++)
        for (int i = 0; claims[c] && i < step_count && !level->probed_bytes; i++)
            if (!steps[i].used &&
                (confirms(curve, &steps[i], claims[c]) || is_share_of(&steps[i], level, claims[c])))
                settle(level, &steps[i], claims[c]);
}

/* The largest free step between two sizes, or NULL. */
static struct step *best_free_step(struct step *steps, int step_count, int64_t above, int64_t below)
{
    struct step *best = NULL;
    double best_ratio = 0;
    for (int i = 0; i < step_count; i++) {
        double ratio = steps[i].high_seconds / steps[i].low_seconds;
        bool fits = steps[i].size_bytes > above && steps[i].size_bytes < below;
        if (!steps[i].used && fits && ratio > best_ratio) {
            best = &steps[i];
            best_ratio = ratio;
        }
    }
    return best;
}

/* Replaces the claims that no step confirmed by the step that stands in their place. */
static void replace(struct levels *levels, struct step *steps, int step_count)
{
    for (int i = 0; i < levels->count; i++) {
        struct level *level = &levels->level[i];
        if (level->probed_bytes)
            continue;
        int64_t above = i ? levels->level[i - 1].capacity_bytes : 0, below = INT64_MAX;
        for (int j = i + 1; j < levels->count && below == INT64_MAX; j++)
            if (levels->level[j].probed_bytes)
                below = levels->level[j].capacity_bytes;
        struct step *step = best_free_step(steps, step_count, above, below);
        if (step)
            settle(level, step, step->size_bytes);
    }
}

/* Takes off the last cache where the chase has looked well beyond it and found no end of it. */
static void drop_denied(struct levels *levels, const struct latency_curve *curve)
{
    const struct level *last = &levels->level[levels->count - 1];
    int64_t seen_bytes = curve->size_bytes[curve->count - 1];
    if (levels->count > 1 && !last->probed_bytes && last->capacity_bytes <= seen_bytes / 4)
        levels->count--;
}

/* Appends what the chase found beyond the last claim. */
static void append_unclaimed(struct levels *levels, struct step *steps, int step_count)
{
    for (int i = 0; i < step_count && levels->count < LEVELS_MAX; i++) {
        if (steps[i].used || steps[i].size_bytes < 2 * levels_last_bytes(levels))
            continue;
        struct level *level = &levels->level[levels->count++];
        memset(level, 0, sizeof(*level));
        snprintf(level->name, sizeof(level->name), "L%d", levels->count);
        level->shared = levels->count > 2;
        settle(level, &steps[i], steps[i].size_bytes);
    }
}

static bool nothing_is_claimed(const struct levels *levels)
{
    for (int i = 0; i < levels->count; i++)
        if (levels->level[i].claimed_bytes || levels->level[i].cpuid_bytes)
            return false;
    return true;
}

/* A level's latency is read in its lower part, which neighbours and page walks touch least, but
 * not where the level below still answers. */
static void read_latencies(struct levels *levels, const struct latency_curve *curve)
{
    for (int i = 0; i < levels->count; i++) {
        struct level *level = &levels->level[i];
        double size_bytes = (double)level->probed_bytes / 4;
        double least_bytes = i ? 2 * (double)levels->level[i - 1].probed_bytes : 0;
        if (level->probed_bytes)
            level->latency_seconds =
                latency_curve_at(curve, size_bytes > least_bytes ? size_bytes : least_bytes);
    }
    int64_t seen_bytes = curve->size_bytes[curve->count - 1];
    if (seen_bytes >= 2 * levels_last_bytes(levels))
        levels->memory_latency_seconds = curve->seconds[curve->count - 1];
}

void levels_decide(struct levels *levels, const struct latency_curve *curve)
{
    struct step steps[STEPS_MAX];
    struct latency_curve clean = envelope(curve);
    int step_count = find_steps(&clean, steps);
    if (clean.count == 0)
        return;
    if (nothing_is_claimed(levels) && step_count)
        levels->count = 0; /* what stood there were guesses */
    for (int i = 0; i < levels->count; i++)
        confirm(&levels->level[i], &clean, steps, step_count);
    replace(levels, steps, step_count);
    if (levels->count)
        drop_denied(levels, &clean);
    append_unclaimed(levels, steps, step_count);
    read_latencies(levels, &clean);
}
