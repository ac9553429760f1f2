/* x86-64-v2: 16 registers of 16 bytes (SSE). */
#pragma once

enum {
    VECTOR_BYTES = 16,
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

/* One step of the intensity family. Without a fused instruction it takes 3 + 3 cycles on Zen 4, so
 * that 12 chains would just do and no more fit: 80 to 85 % of the units' rate is reached. */
KERNEL_INLINE vector vector_step(vector acc, vector r, vector v)
{
    return acc * r + v;
}

/* Past the caches; `to` is aligned to VECTOR_BYTES. Weakly ordered: see vector_store_fence. */
KERNEL_INLINE void vector_store_pair_nontemporal(element *to, vector first, vector second)
{
    _mm_stream_si128((__m128i *)to, (__m128i)first);
    _mm_stream_si128((__m128i *)(to + VECTOR_LANES), (__m128i)second);
}

/* Waits until the write-combining buffers are drained: without it, a pass ends on paper before
 * its last lines have left the core. */
KERNEL_INLINE void vector_store_fence(void)
{
    _mm_sfence();
}
