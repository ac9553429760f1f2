/* x86-64-v3: 16 registers of 32 bytes (AVX). */
#pragma once

enum {
    VECTOR_BYTES = 32,
    VECTOR_REGISTERS = 16,
    VECTOR_CHAINS = 12, /* of the intensity family; see intensity.h for the sum */
};

#include "kernels/isa/vector_type.h"

#include <immintrin.h>

/* The same value, of which the compiler no longer knows where it came from. */
KERNEL_INLINE vector vector_opaque(vector value)
{
    __asm__ volatile("" : "+x"(value));
    return value;
}

/* One step of the intensity family. */
KERNEL_INLINE vector vector_step(vector acc, vector r, vector v)
{
    return acc * r + v;
}

/* Past the caches; `to` is aligned to VECTOR_BYTES. Weakly ordered: see vector_store_fence. */
KERNEL_INLINE void vector_store_pair_nontemporal(element *to, vector first, vector second)
{
    _mm256_stream_si256((__m256i *)to, (__m256i)first);
    _mm256_stream_si256((__m256i *)(to + VECTOR_LANES), (__m256i)second);
}

/* Waits until the write-combining buffers are drained: without it, a pass ends on paper before
 * its last lines have left the core. */
KERNEL_INLINE void vector_store_fence(void)
{
    _mm_sfence();
}
