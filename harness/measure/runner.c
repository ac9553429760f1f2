#include "harness/measure/runner.h"

#include "harness/base/version.h"
#include "harness/measure/case.h"
#include "harness/measure/sampler.h"
#include "harness/record/guards.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cases stay set up between rounds while all of them together need less than this share of the
 * memory that was free at the start; beyond it each is set up anew in every round. */
static const double KEPT_MEMORY_SHARE = 0.25;
static const double MOST_FOREIGN_CORES = 0.1, MOST_CLOCK_SPREAD = 0.05, TIMES_LAST_CACHE = 4;

/* A planned case on its way through the rounds. */
struct live_case {
    const struct planned_case *planned;
    struct bench_case c;
    struct sampling sampling;
    bool ready, refused_huge, given_up;
};

struct runner {
    const struct plan_context *context;
    const struct runner_options *options;
    const struct emit *emit;
    double kept_bytes;
    struct foreign_load load;
    runner_watch watch;
    void *watch_arg;
};

static void release(struct runner *runner, struct live_case *live)
{
    if (live->ready)
        runner->kept_bytes -= (double)case_buffer_bytes(&live->c);
    case_free_buffers(&live->c);
    free(live->c.state);
    live->c.state = NULL;
    live->ready = false;
}

/* The answer of one unit, after the outputs were poisoned: another unit in each round. */
static enum status check_answer(struct live_case *live, int round, bool check_all,
                                struct record *slice)
{
    const struct bench *bench = live->planned->bench;
    struct check check = {0};
    int64_t units = bench->units ? bench->units(live->c.state) : 1;
    live->c.checked_unit = (int64_t)round * 7919 % units;
    live->c.check_all = check_all;
    TRY(case_poison_outputs(&live->c));
    TRY(bench->run(&live->c, live->c.checked_unit, 1));
    enum status status = bench->check(&live->c, &check);
    slice->check_max_error = fmax(slice->check_max_error, check.max_error);
    slice->check_tolerance = check.tolerance;
    return status;
}

static enum status make_ready(struct runner *runner, struct live_case *live)
{
    const struct planned_case *planned = live->planned;
    int threads = (int)plan_axis(planned, "threads", 1);
    TRY(device_set_threads(runner->context->device, threads));
    if (live->ready)
        return STATUS_OK;
    live->c = (struct bench_case){.device = runner->context->device,
                                  .kernel = planned->kernel,
                                  .amplitude = runner->context->constant_fill ? 0 : 1};
    TRY(plan_state(planned, &live->c.state));
    TRY(planned->bench->setup(&live->c));
    live->refused_huge = case_huge_refused(&live->c);
    live->ready = true;
    runner->kept_bytes += (double)case_buffer_bytes(&live->c);
    return STATUS_OK;
}

static double mean_foreign_load(const struct record *slice)
{
    double sum = 0;
    for (size_t i = 0; i < slice->samples_count; i++)
        sum += fmax(0, slice->samples[i].foreign_load);
    return slice->samples_count ? sum / (double)slice->samples_count : 0;
}

static bool clock_moved(const struct record *slice)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < slice->samples_count; i++) {
        if (slice->samples[i].clock_hz > 0)
            low = fmin(low, slice->samples[i].clock_hz);
        high = fmax(high, slice->samples[i].clock_hz);
    }
    return high > 0 && high - low > MOST_CLOCK_SPREAD * high;
}

/* Too large for the last cache and too small for memory: some of it stays cached. */
static bool is_half_cached(const struct record *slice, const struct levels *levels)
{
    double last_bytes = (double)levels_last_bytes(levels);
    return slice->working_set_bytes > last_bytes &&
           slice->working_set_bytes < TIMES_LAST_CACHE * last_bytes;
}

static void raise_flags(const struct runner *runner, const struct live_case *live,
                        struct record *slice)
{
    const struct device_info *info = device_info(runner->context->device);
    const bool is_measured = info->source == SOURCE_measured; /* scripted times feel no load */
    const struct {
        bool raised;
        uint32_t flag;
    } flags[] = {
        {info->virtual_machine, FLAG_virtual_machine},
        {runner->context->constant_fill, FLAG_constant_data},
        {live->refused_huge, FLAG_huge_pages_refused},
        {is_measured && mean_foreign_load(slice) > MOST_FOREIGN_CORES, FLAG_foreign_load},
        {is_half_cached(slice, &info->levels), FLAG_cache_resident},
        {clock_moved(slice), FLAG_clock_unsteady},
    };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        slice->flags |= flags[i].raised ? flags[i].flag : 0;
}

static void describe_placement(const struct device_info *info, struct record *slice)
{
    size_t used = 0;
    for (int i = 0; i < slice->threads && used + 8 < sizeof(slice->cpus); i++)
        used += (size_t)snprintf(slice->cpus + used, sizeof(slice->cpus) - used, "%s%d",
                                 i ? "," : "", info->cpus[i]);
    gethostname(slice->host, sizeof(slice->host) - 1);
    snprintf(slice->rank, sizeof(slice->rank), "0");
}

static void describe_slice(const struct runner *runner, const struct live_case *live, int round,
                           struct record *slice)
{
    const struct device_info *info = device_info(runner->context->device);
    const struct policy *policy = runner->options->policy;
    plan_identity(live->planned, runner->context, slice);
    describe_placement(info, slice);
    snprintf(slice->run_id, sizeof(slice->run_id), "%s", runner->options->run_id);
    snprintf(slice->isa, sizeof(slice->isa), "%s", info->isa);
    snprintf(slice->cache, sizeof(slice->cache), "%s",
             live->planned->bench->caches == CACHES_WARM ? "warm" : "cold");
    snprintf(slice->fill, sizeof(slice->fill), "%s",
             runner->context->constant_fill ? "zero" : "random");
    snprintf(slice->commit, sizeof(slice->commit), "%s", version_commit());
    snprintf(slice->compiler, sizeof(slice->compiler), "%s", version_compiler());
    slice->source = info->source;
    slice->rounds_planned = policy->rounds;
    slice->target_half_width = policy->target_half_width;
    slice->clock_tick_seconds = info->clock_resolution_seconds;
    slice->round = round;
}

static void count_work(const struct live_case *live, struct record *slice)
{
    struct work work = live->planned->bench->work(live->c.state);
    slice->bytes = work.bytes;
    slice->bus_bytes = work.bus_bytes;
    slice->link_bytes = work.link_bytes;
    slice->operations = work.operations;
    slice->working_set_bytes = (double)case_working_bytes(&live->c);
}

/* Behind the first check, too: what a library chose is known once it has run. */
static void describe_implementation(const struct live_case *live, struct record *slice)
{
    if (live->planned->bench->describe)
        live->planned->bench->describe(&live->c, slice->implementation,
                                       sizeof(slice->implementation));
}

/* Check, sample, check again: a wrong answer is never stored as a rate. */
static enum status measure(struct runner *runner, struct live_case *live, int round,
                           struct record *slice)
{
    const struct planned_case *planned = live->planned;
    bool is_new = !live->ready, is_last = planned->rounds >> round == 1;
    TRY(make_ready(runner, live));
    count_work(live, slice);
    describe_implementation(live, slice);
    if (is_new)
        TRY(check_answer(live, round, true, slice));
    describe_implementation(live, slice);
    if (runner->options->check_only)
        return STATUS_OK;
    TRY(sampler_slice(planned->bench, &live->c, runner->options->policy, round, &runner->load,
                      &live->sampling, slice));
    return check_answer(live, round, is_last, slice);
}

static void fail_slice(struct record *slice, enum status status)
{
    slice->status = status == STATUS_SKIP           ? RECORD_skipped
                    : status == STATUS_WRONG_ANSWER ? RECORD_wrong
                                                    : RECORD_failed;
    snprintf(slice->reason, sizeof(slice->reason), "%s", error_message());
    slice->samples_count = 0; /* a time of a wrong answer is no time */
}

static enum status run_round(struct runner *runner, struct live_case *live, int round,
                             struct record *point)
{
    struct record slice = {0};
    double memory_bytes = (double)device_info(runner->context->device)->memory_bytes;
    TRY(emit_begin(runner->emit, live->planned->case_id, round));
    describe_slice(runner, live, round, &slice);
    enum status status = measure(runner, live, round, &slice);
    for (size_t i = 0; i < slice.samples_count; i++)
        slice.samples[i].child = runner->options->child;
    live->given_up = status != STATUS_OK;
    if (live->given_up)
        fail_slice(&slice, status);
    raise_flags(runner, live, &slice);
    if (live->given_up || runner->kept_bytes > KEPT_MEMORY_SHARE * memory_bytes)
        release(runner, live);
    status = emit_slice(runner->emit, &slice);
    if (status == STATUS_OK)
        status = point->bench[0] ? record_merge(point, &slice) : record_copy(point, &slice);
    record_clear(&slice);
    return status;
}

static bool has_later_round(const struct live_case *live, int round)
{
    return !live->given_up && round + 1 < PLAN_MAX_ROUNDS &&
           live->planned->rounds >> (round + 1) != 0;
}

static enum status run_rounds(struct runner *runner, struct live_case *live, size_t count,
                              struct record *points)
{
    for (int round = 0; round < PLAN_MAX_ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            bool is_asked = live[i].planned->rounds >> round & 1;
            if (!is_asked || live[i].given_up)
                continue;
            TRY(run_round(runner, &live[i], round, &points[i]));
            if (has_later_round(&live[i], round))
                continue;
            record_guard(&points[i]);
            if (runner->watch)
                runner->watch(runner->watch_arg, &points[i]);
            if (device_is_lost(runner->context->device)) /* another process may do the rest */
                return FAIL(STATUS_DEVICE, "%s", points[i].reason);
        }
    return STATUS_OK;
}

static void count_outcomes(struct runner_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        result->wrong += result->points[i].status == RECORD_wrong;
        result->failed += result->points[i].status == RECORD_failed;
        result->skipped += result->points[i].status == RECORD_skipped;
    }
}

enum status runner_run(const struct plan *plan, const struct plan_context *context,
                       const struct runner_options *options, const struct emit *emit,
                       runner_watch watch, void *watch_arg, struct runner_result *result)
{
    struct runner runner = {.context = context,
                            .options = options,
                            .emit = emit,
                            .watch = watch,
                            .watch_arg = watch_arg};
    struct live_case *live = calloc(plan->count + 1, sizeof(*live));
    foreign_load_begin(&runner.load);
    *result = (struct runner_result){.count = plan->count};
    result->points = calloc(plan->count + 1, sizeof(*result->points));
    enum status status = live && result->points
                             ? STATUS_OK
                             : FAIL(STATUS_NO_MEMORY, "no memory for %zu cases", plan->count);
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++)
        live[i].planned = &plan->cases[i];
    if (status == STATUS_OK)
        status = run_rounds(&runner, live, plan->count, result->points);
    for (size_t i = 0; live && i < plan->count; i++) {
        release(&runner, &live[i]);
        sampling_clear(&live[i].sampling);
    }
    free(live);
    count_outcomes(result);
    return status;
}

void runner_result_clear(struct runner_result *result)
{
    for (size_t i = 0; result->points && i < result->count; i++)
        record_clear(&result->points[i]);
    free(result->points);
    *result = (struct runner_result){0};
}
