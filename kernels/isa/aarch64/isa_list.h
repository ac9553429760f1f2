/* Every instruction set of this architecture: its symbol, name and vector width; best last. The
 * table and each family's loops are rows of this list, so one index serves them all. */
#pragma once

#define ISA_LIST(X) X(armv8_neon, "armv8-neon", 16)

/* Of its dot instructions, none is used yet. */
#define ISA_DOT_LIST(X)
