#include "harness/model/summary.h"

#include "harness/base/quantile.h"
#include "harness/model/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 400, FEWEST_FOR_CAPABLE = 40, FEWEST_FOR_INTERVAL = 6, MOST_ROUNDS = 64 };
static const double FAST = 0.25, LOW = 0.025, HIGH = 0.975;

/* Samples in the order of their rounds: round r is begin[r] .. begin[r + 1] - 1. */
struct rounds {
    double *seconds;
    size_t begin[MOST_ROUNDS + 1];
    size_t count;
};

static void group_by_round(const struct record *point, struct rounds *rounds)
{
    size_t used = 0;
    rounds->count = 0;
    for (int32_t r = 0; r < MOST_ROUNDS; r++) {
        size_t before = used;
        for (size_t i = 0; i < point->samples_count; i++)
            if (point->samples[i].round == r)
                rounds->seconds[used++] = point->samples[i].seconds;
        if (used > before)
            rounds->begin[rounds->count++] = before;
    }
    rounds->begin[rounds->count] = used;
}

/* One resampled set, of as many rounds, each as long as the round it was drawn from. */
static size_t resample(const struct rounds *rounds, uint64_t *state, double *out)
{
    size_t used = 0, most = rounds->begin[rounds->count];
    for (size_t r = 0; r < rounds->count; r++) {
        size_t chosen = random_draw(state, rounds->count);
        size_t begin = rounds->begin[chosen], length = rounds->begin[chosen + 1] - begin;
        for (size_t i = 0; i < length && used < most; i++)
            out[used++] = rounds->seconds[begin + random_draw(state, length)];
    }
    return used;
}

struct work_space {
    struct rounds rounds;
    double *set, *medians, *fasts;
};

static void bootstrap(struct work_space *w, uint64_t seed, struct summary *summary)
{
    uint64_t state = seed;
    for (int d = 0; d < DRAWS; d++) {
        size_t count = resample(&w->rounds, &state, w->set);
        quantile_sort(w->set, count);
        w->medians[d] = quantile_of_sorted(w->set, count, 0.5);
        w->fasts[d] = quantile_of_sorted(w->set, count, FAST);
    }
    quantile_sort(w->medians, DRAWS);
    quantile_sort(w->fasts, DRAWS);
    summary->typical.low = quantile_of_sorted(w->medians, DRAWS, LOW);
    summary->typical.high = quantile_of_sorted(w->medians, DRAWS, HIGH);
    summary->capable.low = quantile_of_sorted(w->fasts, DRAWS, LOW);
    summary->capable.high = quantile_of_sorted(w->fasts, DRAWS, HIGH);
}

static void summarise(const struct record *point, struct work_space *w, struct summary *summary)
{
    size_t count = w->rounds.begin[w->rounds.count];
    memcpy(w->set, w->rounds.seconds, count * sizeof(*w->set));
    quantile_sort(w->set, count);
    summary->samples = count;
    summary->rounds = w->rounds.count;
    summary->min_seconds = w->set[0];
    summary->q1_seconds = quantile_of_sorted(w->set, count, 0.25);
    summary->q3_seconds = quantile_of_sorted(w->set, count, 0.75);
    summary->typical.value = quantile_of_sorted(w->set, count, 0.5);
    summary->capable.value = summary->q1_seconds;
    if (count >= FEWEST_FOR_INTERVAL)
        bootstrap(w, record_hash(RECORD_HASH_SEED, point->case_id), summary);
    if (count < FEWEST_FOR_CAPABLE)
        summary->capable = (struct estimate){0};
    else
        summary->steadiness = summary->capable.value / summary->typical.value;
}

enum status summary_of(const struct record *point, struct summary *summary)
{
    *summary = (struct summary){0};
    if (point->samples_count == 0 || point->status != RECORD_ok)
        return STATUS_OK;
    struct work_space *w = calloc(1, sizeof(*w));
    double *memory = malloc((2 * point->samples_count + 2 * DRAWS) * sizeof(*memory));
    enum status status = w && memory ? STATUS_OK
                                     : FAIL(STATUS_NO_MEMORY, "no memory to summarise %zu samples",
                                            point->samples_count);
    if (status == STATUS_OK) {
        w->rounds.seconds = memory;
        w->set = memory + point->samples_count;
        w->medians = w->set + point->samples_count;
        w->fasts = w->medians + DRAWS;
        group_by_round(point, &w->rounds);
        if (w->rounds.count)
            summarise(point, w, summary);
    }
    free(memory);
    free(w);
    return status;
}

double summary_half_width(const struct summary *summary)
{
    if (!(summary->typical.low > 0))
        return INFINITY;
    return (summary->typical.high - summary->typical.low) / (2 * summary->typical.value);
}
