/* How long and how often is measured: all constants of measuring stand in one struct. */
#pragma once

#include "harness/base/status.h"

struct policy {
    const char *name;
    double case_seconds;      /* of one case over all its rounds, warm-up included */
    int rounds;               /* the cases of a child are interleaved over so many rounds */
    int fewest_samples;       /* never stop below, whatever the time */
    int wanted_samples;       /* do not stop below while time is left; 40: quantiles hold */
    int most_samples;         /* of one case and round */
    double sample_seconds;    /* short runs are batched until a sample is this long */
    double clock_ticks;       /* and at least this many steps of the clock */
    double target_half_width; /* relative, of the median's 95 % interval: steady enough */
};

C_API_BEGIN

/* "quick", "full" or "smoke" (for tests: does it run at all?); NULL if there is none such. */
const struct policy *policy_find(const char *name);

C_API_END
