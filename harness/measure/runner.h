/* Measures a plan: all cases round by round, so that drift hits all of them alike. */
#pragma once

#include "harness/measure/emit.h"
#include "harness/measure/plan.h"

struct runner_options {
    const struct policy *policy;
    const char *run_id;
    int child;       /* number of this process within the run */
    bool check_only; /* check the answers, time nothing */
};

struct runner_result {
    struct record *points; /* one per planned case, slices merged; owned */
    size_t count;
    int wrong, failed, skipped; /* cases */
};

/* Called when a case has all its rounds. */
typedef void (*runner_watch)(void *arg, const struct record *point);

/* A case that cannot be measured becomes a record with its status and reason, and the rest goes
 * on; what ends the run is a lost harness or no memory for the bookkeeping. */
enum status runner_run(const struct plan *plan, const struct plan_context *context,
                       const struct runner_options *options, const struct emit *emit,
                       runner_watch watch, void *watch_arg, struct runner_result *result);
void runner_result_clear(struct runner_result *result);
