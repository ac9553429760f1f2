/* Every 64-bit Arm processor that runs Linux has NEON with fused multiply-add. */
#include "isa_list.h"
#include "kernels/isa/isa.h"

#include <stddef.h>
#include <sys/auxv.h>

static int supported_armv8_neon(void)
{
    return 1;
}

/* ---- Features: bits of AT_HWCAP and AT_HWCAP2, by Linux's asm/hwcap.h. */

static int has_sve(void)
{
    return getauxval(AT_HWCAP) >> 22 & 1;
}

static int has_dot_product(void)
{
    return getauxval(AT_HWCAP) >> 20 & 1;
}

static int has_bf16(void)
{
    return getauxval(AT_HWCAP2) >> 14 & 1;
}

static int has_sme(void)
{
    return getauxval(AT_HWCAP2) >> 23 & 1;
}

#define ROW(set, name, vector_bytes) {name, vector_bytes, supported_##set},
const struct isa isa_table[] = {ISA_LIST(ROW){NULL, 0, NULL}};

const struct isa_feature isa_dots[] = {{NULL, NULL}};

const struct isa_feature isa_unmeasured[] = {
    {"SVE", has_sve},   {"SME", has_sme}, {"dot product", has_dot_product},
    {"BF16", has_bf16}, {NULL, NULL},
};
