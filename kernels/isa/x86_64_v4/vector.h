/* x86-64-v4: 32 registers of 64 bytes (AVX-512). */
#pragma once

enum {
    VECTOR_BYTES = 64,
    VECTOR_REGISTERS = 32,
    VECTOR_CHAINS = 16, /* of the intensity family; see intensity.h for the sum */
};

#include "kernels/isa/vector_type.h"

#include <immintrin.h>

/* The same value, of which the compiler no longer knows where it came from. */
KERNEL_INLINE vector vector_opaque(vector value)
{
    __asm__ volatile("" : "+v"(value));
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
    _mm512_stream_si512((__m512i *)to, (__m512i)first);
    _mm512_stream_si512((__m512i *)(to + VECTOR_LANES), (__m512i)second);
}

/* Waits until the write-combining buffers are drained: without it, a pass ends on paper before
 * its last lines have left the core. */
KERNEL_INLINE void vector_store_fence(void)
{
    _mm_sfence();
}
