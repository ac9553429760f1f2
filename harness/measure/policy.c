#include "harness/measure/policy.h"

#include <stddef.h>
#include <string.h>

/* A sample of 0.5 ms lets the start of the threads (about 0.2 us apart) and the clock's two
 * readings (about 0.05 us) weigh under 0.1 %. */
static const struct policy policies[] = {
    {
        .name = "quick",
        .case_seconds = 0.2,
        .rounds = 4,
        .fewest_samples = 16,
        .wanted_samples = 40,
        .most_samples = 128,
        .sample_seconds = 0.5e-3,
        .clock_ticks = 100,
        .target_half_width = 0.02,
    },
    {
        .name = "full",
        .case_seconds = 2.0,
        .rounds = 8,
        .fewest_samples = 16,
        .wanted_samples = 80,
        .most_samples = 256,
        .sample_seconds = 1e-3,
        .clock_ticks = 100,
        .target_half_width = 0.005,
    },
    {
        .name = "smoke",
        .case_seconds = 0.001,
        .rounds = 1,
        .fewest_samples = 1,
        .wanted_samples = 1,
        .most_samples = 3,
        .sample_seconds = 1e-5,
        .clock_ticks = 1,
        .target_half_width = 1.0,
    },
};

const struct policy *policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (strcmp(policies[i].name, name) == 0)
            return &policies[i];
    return NULL;
}
