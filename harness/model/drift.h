/* How much a device moved while the run lasted, as its controls saw it. */
#pragma once

#include "harness/store/run.h"

struct drift {
    double memory, arithmetic; /* fastest over slowest round median, less 1; negative: no control */
    int rounds;                /* of all benches together */
};

/* Over all rounds of all benches on that device: each measured the same two cases beside its own.
 */
enum status drift_of(const struct run *run, const char *device, struct drift *drift);
