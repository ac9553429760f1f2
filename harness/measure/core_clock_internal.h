/* What an architecture provides: core_clock_x86_64.c, core_clock_aarch64.c, or, where neither
 * fits, core_clock_generic.c, which provides nothing. */
#pragma once

#include <stdint.h>

/* Cycles that one block of additions takes; 0: no such chain. */
int64_t core_clock_block_cycles(void);

/* Runs `blocks` blocks, each depending on the one before it. */
void core_clock_run(int64_t blocks);

/* The counter now; 0: there is none. */
uint64_t core_clock_counter(void);

/* The counter's frequency, where the processor tells it; else 0. */
double core_clock_counter_hz(void);
