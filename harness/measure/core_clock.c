#include "harness/measure/core_clock.h"

#include "harness/base/clock.h"
#include "harness/measure/core_clock_internal.h"

#include <time.h>

/* The length of the chain is planned for this clock; another one only changes its duration. */
static const double planned_clock_hz = 3e9;

enum { PARTS = 3 };

/* What two readings of the clock cost when nothing lies between them, some 25 ns, which would
 * make a core look 1 % slower in a chain of 3 us. */
static double clock_cost_seconds(void)
{
    double least_seconds = 1;
    for (int i = 0; i < PARTS; i++) {
        double start_seconds = clock_seconds();
        double cost_seconds = clock_seconds() - start_seconds;
        if (cost_seconds < least_seconds)
            least_seconds = cost_seconds;
    }
    return least_seconds;
}

double core_clock_hz(double seconds)
{
    int64_t block_cycles = core_clock_block_cycles();
    if (block_cycles == 0)
        return 0;
    int64_t blocks = (int64_t)(seconds / PARTS * planned_clock_hz / (double)block_cycles);
    if (blocks < 1)
        blocks = 1;
    core_clock_run(1); /* brings the code into the instruction cache */
    double cost_seconds = clock_cost_seconds(), least_seconds = 0;
    for (int i = 0; i < PARTS; i++) {
        double start_seconds = clock_seconds();
        core_clock_run(blocks);
        double elapsed_seconds = clock_seconds() - start_seconds - cost_seconds;
        if (i == 0 || elapsed_seconds < least_seconds)
            least_seconds = elapsed_seconds;
    }
    return least_seconds > 0 ? (double)(blocks * block_cycles) / least_seconds : 0;
}

/* A reading of the counter and the time at which it was taken: of several, the one whose two
 * clock readings lie closest together. */
static uint64_t stamp(double *at_seconds)
{
    enum { TRIES = 8 };
    uint64_t best_ticks = 0;
    double best_width_seconds = 1;
    for (int i = 0; i < TRIES; i++) {
        double before_seconds = clock_seconds();
        uint64_t ticks = core_clock_counter();
        double width_seconds = clock_seconds() - before_seconds;
        if (width_seconds < best_width_seconds) {
            best_width_seconds = width_seconds;
            best_ticks = ticks;
            *at_seconds = before_seconds + width_seconds / 2;
        }
    }
    return best_ticks;
}

double time_stamp_counter_hz(void)
{
    const struct timespec wait = {.tv_nsec = 10 * 1000 * 1000};
    if (core_clock_counter_hz() > 0 || core_clock_counter() == 0)
        return core_clock_counter_hz();
    double first_seconds = 0, last_seconds = 0;
    uint64_t first_ticks = stamp(&first_seconds);
    nanosleep(&wait, NULL);
    uint64_t last_ticks = stamp(&last_seconds);
    return (double)(last_ticks - first_ticks) / (last_seconds - first_seconds);
}
