/* Every instruction set of this architecture: its symbol, name and vector width; best last. The
 * table and each family's loops are rows of this list, so one index serves them all. */
#pragma once

#define ISA_LIST(X)                                                                                \
    X(x86_64_v2, "x86-64-v2", 16)                                                                  \
    X(x86_64_v3, "x86-64-v3", 32)                                                                  \
    X(x86_64_v4, "x86-64-v4", 64)

/* The dot instructions: the set that they belong to, its symbol and name; what they multiply; their
 * own symbol and name; best last. */
#define ISA_DOT_LIST(X)                                                                            \
    X(x86_64_v3, "x86-64-v3", int8, INT8, avx_vnni, "AVX-VNNI")                                    \
    X(x86_64_v4, "x86-64-v4", bf16, BF16, avx512_bf16, "AVX512-BF16")                              \
    X(x86_64_v4, "x86-64-v4", int8, INT8, avx512_vnni, "AVX512-VNNI")
