/* For architectures without a chain of their own: nothing is known, and nothing is claimed. */
#include "harness/measure/core_clock_internal.h"

int64_t core_clock_block_cycles(void)
{
    return 0;
}

void core_clock_run(int64_t blocks)
{
    (void)blocks;
}

uint64_t core_clock_counter(void)
{
    return 0;
}

double core_clock_counter_hz(void)
{
    return 0;
}
