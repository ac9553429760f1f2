/* The levels of the x86-64 psABI. Features are asked for one by one, since clang 14 knows no
 * level names; of a level's features those are asked that both gcc 12 and clang 14 know, and no
 * processor has these without the rest. */
#include "isa_list.h"
#include "kernels/isa/isa.h"

#include <cpuid.h>
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

/* ---- Features that clang 14 has no names for: bits of CPUID, by Intel's manual, volume 2A. */

enum { FEATURES = 7, EAX = 0, ECX = 2, EDX = 3 };

static int has_feature(unsigned subleaf, int word, int bit)
{
    unsigned r[4] = {0};
    return __get_cpuid_count(FEATURES, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[word] >> bit & 1);
}

static int supported_avx_vnni(void)
{
    return supported_x86_64_v3() && has_feature(1, EAX, 4);
}

static int supported_avx512_bf16(void)
{
    return supported_x86_64_v4() && has_feature(1, EAX, 5);
}

static int supported_avx512_vnni(void)
{
    return supported_x86_64_v4() && has_feature(0, ECX, 11);
}

static int has_amx_bf16(void)
{
    return has_feature(0, EDX, 22);
}

static int has_amx_int8(void)
{
    return has_feature(0, EDX, 25);
}

static int has_amx_fp16(void)
{
    return has_feature(1, EAX, 21);
}

static int has_avx512_fp16(void)
{
    return has_feature(0, EDX, 23);
}

#define ROW(set, name, vector_bytes) {name, vector_bytes, supported_##set},
const struct isa isa_table[] = {ISA_LIST(ROW){NULL, 0, NULL}};

#define DOT(set, set_name, type, TYPE, dot, name) {name, supported_##dot},
const struct isa_feature isa_dots[] = {ISA_DOT_LIST(DOT){NULL, NULL}};

const struct isa_feature isa_unmeasured[] = {
    {"AMX-BF16", has_amx_bf16},
    {"AMX-INT8", has_amx_int8},
    {"AMX-FP16", has_amx_fp16},
    {"AVX512-FP16", has_avx512_fp16},
    {NULL, NULL},
};
