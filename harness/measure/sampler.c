#include "harness/measure/sampler.h"

#include "harness/base/clock.h"
#include "harness/base/quantile.h"

#include <math.h>
#include <stdlib.h>

/* The stopping rule sorts all samples: every fourth time is often enough. */
enum { SAMPLES_PER_LOOK = 4, MOST_UNITS = 1 << 30 };

void sampling_clear(struct sampling *sampling)
{
    free(sampling->seconds);
    *sampling = (struct sampling){0};
}

static enum status remember(struct sampling *sampling, double seconds)
{
    if (sampling->count == sampling->room) {
        size_t room = sampling->room ? 2 * sampling->room : 64;
        double *grown = realloc(sampling->seconds, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu times", room);
        sampling->seconds = grown;
        sampling->room = room;
    }
    sampling->seconds[sampling->count++] = seconds;
    return STATUS_OK;
}

static int64_t units_of(const struct bench *bench, const struct bench_case *c)
{
    return bench->units ? bench->units(c->state) : 1;
}

static enum status time_units(const struct bench *bench, struct bench_case *c,
                              struct sampling *sampling, int64_t unit_count, double *seconds)
{
    if (bench->caches == CACHES_COLD)
        TRY(device_flush(c->device));
    TRY(device_clock_start(c->device));
    TRY(bench->run(c, sampling->next_unit, unit_count));
    TRY(device_clock_stop(c->device, seconds));
    if (!isfinite(*seconds) || *seconds <= 0)
        return FAIL(STATUS_DEVICE, "the clock of %s gave %g s for %s", device_info(c->device)->name,
                    *seconds, bench->name);
    sampling->next_unit = (sampling->next_unit + unit_count) % units_of(bench, c);
    return STATUS_OK;
}

/* Doubles the batch until it is long enough; this warms the caches and the clock up, too. */
static enum status calibrate(const struct bench *bench, struct bench_case *c,
                             const struct policy *policy, struct sampling *sampling,
                             int64_t *unit_count)
{
    const struct device_info *info = device_info(c->device);
    double enough =
        fmax(policy->sample_seconds, policy->clock_ticks * info->clock_resolution_seconds);
    double seconds = 0;
    TRY(time_units(bench, c, sampling, 1, &seconds)); /* the cold one does not count */
    for (*unit_count = 1; *unit_count < MOST_UNITS; *unit_count *= 2) {
        TRY(time_units(bench, c, sampling, *unit_count, &seconds));
        if (seconds >= enough)
            return STATUS_OK;
        if (seconds >= enough / 8) { /* close enough to aim at it directly */
            *unit_count = (int64_t)ceil((double)*unit_count * 1.1 * enough / seconds);
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static enum status take_sample(const struct bench *bench, struct bench_case *c,
                               struct sampling *sampling, int64_t unit_count,
                               struct foreign_load *load, struct sample *sample)
{
    double seconds = 0;
    const bool is_after = device_clocks_samples(c->device);
    if (!is_after)
        sample->clock_hz = device_core_clock_hz(c->device);
    sample->start_seconds = clock_seconds();
    TRY(time_units(bench, c, sampling, unit_count, &seconds));
    if (is_after)
        sample->clock_hz = device_core_clock_hz(c->device);
    sample->foreign_load = foreign_load_update(load, clock_seconds());
    sample->runs = (double)unit_count / (double)units_of(bench, c);
    sample->seconds = seconds / sample->runs;
    return STATUS_OK;
}

/* Samples of one slice: the share of a round, rounded up. */
static int share(int count, int rounds)
{
    return (count + rounds - 1) / rounds;
}

static bool enough(const struct policy *policy, const struct sampling *sampling, int taken,
                   double deadline_seconds)
{
    if (taken >= policy->most_samples)
        return true;
    if (taken < share(policy->fewest_samples, policy->rounds))
        return false;
    if (clock_seconds() > deadline_seconds)
        return true;
    return taken >= share(policy->wanted_samples, policy->rounds) &&
           taken % SAMPLES_PER_LOOK == 0 &&
           quantile_median_half_width(sampling->seconds, sampling->count) <=
               policy->target_half_width;
}

/* Samples taken before /proc/stat had moved get the first value known after them. */
static void complete_foreign_load(struct record *slice)
{
    double known = -1;
    for (size_t i = slice->samples_count; i-- > 0;) {
        if (slice->samples[i].foreign_load < 0)
            slice->samples[i].foreign_load = known;
        known = slice->samples[i].foreign_load;
    }
}

enum status sampler_slice(const struct bench *bench, struct bench_case *c,
                          const struct policy *policy, int round, struct foreign_load *load,
                          struct sampling *sampling, struct record *slice)
{
    double started_seconds = clock_seconds();
    double allowed_seconds = policy->case_seconds * (round + 1) / policy->rounds;
    double deadline_seconds = started_seconds + allowed_seconds - sampling->spent_seconds;
    int64_t unit_count = 1;
    TRY(calibrate(bench, c, policy, sampling, &unit_count));
    for (int taken = 0; !enough(policy, sampling, taken, deadline_seconds); taken++) {
        struct sample sample = {.round = round};
        TRY(take_sample(bench, c, sampling, unit_count, load, &sample));
        TRY(remember(sampling, sample.seconds));
        TRY(record_add_sample(slice, &sample));
    }
    complete_foreign_load(slice);
    slice->flags |= device_flags(c->device);
    sampling->spent_seconds += clock_seconds() - started_seconds;
    return STATUS_OK;
}
