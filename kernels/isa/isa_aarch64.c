/* Every 64-bit Arm processor that runs Linux has NEON with fused multiply-add. */
#include "isa_list.h"
#include "kernels/isa/isa.h"

#include <stddef.h>

static int supported_armv8_neon(void)
{
    return 1;
}

#define ROW(set, name, vector_bytes) {name, vector_bytes, supported_##set},
const struct isa isa_table[] = {ISA_LIST(ROW){NULL, 0, NULL}};
