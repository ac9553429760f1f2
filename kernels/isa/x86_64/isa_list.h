/* Every instruction set of this architecture: its symbol, name and vector width; best last. The
 * table and each family's loops are rows of this list, so one index serves them all. */
#pragma once

#define ISA_LIST(X)                                                                                \
    X(x86_64_v2, "x86-64-v2", 16)                                                                  \
    X(x86_64_v3, "x86-64-v3", 32)                                                                  \
    X(x86_64_v4, "x86-64-v4", 64)
