/* When to start believing a time, and when to stop measuring it. */
#pragma once

#include "harness/measure/bench.h"
#include "harness/measure/foreign_load.h"
#include "harness/measure/policy.h"
#include "harness/record/record.h"

/* What the sampler remembers of a case from round to round. */
struct sampling {
    double *seconds; /* of every sample so far, for the stopping rule; owned */
    size_t count, room;
    int64_t next_unit;    /* where the next sample goes on in the working set */
    double spent_seconds; /* of the case's time, over all rounds so far */
};

void sampling_clear(struct sampling *sampling);

/* Measures one slice: warms up, finds how many units make a sample long enough, then samples until
 * the median's interval over all rounds is narrow enough, or the round's share of the case's time
 * is spent, together with what earlier rounds left of theirs; at least the round's share of the
 * fewest samples. Appends to slice->samples. `load`
 * has begun and rolls on from slice to slice. */
enum status sampler_slice(const struct bench *bench, struct bench_case *c,
                          const struct policy *policy, int round, struct foreign_load *load,
                          struct sampling *sampling, struct record *slice);
