#include "harness/measure/core_clock_internal.h"

enum { BLOCK_ADDITIONS = 1000 };

int64_t core_clock_block_cycles(void)
{
    return BLOCK_ADDITIONS;
}

/* Register to register, no shift: one cycle on every core since Cortex-A53. */
void core_clock_run(int64_t blocks)
{
    uint64_t x = 1;
    for (int64_t i = 0; i < blocks; i++)
        __asm__ volatile(".rept %c1\n\tadd %0, %0, %0\n\t.endr" : "+r"(x) : "i"(BLOCK_ADDITIONS));
}

uint64_t core_clock_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

double core_clock_counter_hz(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (double)hz;
}
