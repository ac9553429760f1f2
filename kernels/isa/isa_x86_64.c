/* The levels of the x86-64 psABI. Features are asked for one by one, since clang 14 knows no
 * level names; of a level's features those are asked that both gcc 12 and clang 14 know, and no
 * processor has these without the rest. */
#include "isa_list.h"
#include "kernels/isa/isa.h"

#include <stddef.h>

static int supported_x86_64_v2(void)
{
    return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
           __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
           __builtin_cpu_supports("popcnt");
}

static int supported_x86_64_v3(void)
{
    return supported_x86_64_v2() && __builtin_cpu_supports("avx") &&
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}

static int supported_x86_64_v4(void)
{
    return supported_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#define ROW(set, name, vector_bytes) {name, vector_bytes, supported_##set},
const struct isa isa_table[] = {ISA_LIST(ROW){NULL, 0, NULL}};
