#include "harness/measure/core_clock_internal.h"

enum { BLOCK_ADDITIONS = 1000 };

int64_t core_clock_block_cycles(void)
{
    return BLOCK_ADDITIONS;
}

/* Register to register: an addition of a constant takes no cycle at all on cores that fold it
 * into the renaming (Golden Cove and later). The loop's counter runs beside the chain. */
void core_clock_run(int64_t blocks)
{
    uint64_t x = 1;
    for (int64_t i = 0; i < blocks; i++)
        __asm__ volatile(".rept %c1\n\tadd %0, %0\n\t.endr"
                         : "+r"(x)
                         : "i"(BLOCK_ADDITIONS)
                         : "cc");
}

uint64_t core_clock_counter(void)
{
    return __builtin_ia32_rdtsc();
}

double core_clock_counter_hz(void)
{
    return 0; /* CPUID 15h tells it on few processors, and in few virtual machines */
}
