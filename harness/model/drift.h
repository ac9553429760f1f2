/* How much the machine moved while the run lasted, as its controls saw it. */
#pragma once

#include "harness/store/run.h"

struct drift {
    double memory, arithmetic; /* fastest over slowest round median, less 1; negative: no control */
    int rounds;                /* of all benches and devices together */
};

/* Over all rounds of all benches: each measured the same two cases beside its own. Of several
 * devices the one that moved the most. */
enum status drift_of(const struct run *run, struct drift *drift);
