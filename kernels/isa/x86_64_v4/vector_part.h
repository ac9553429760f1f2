/* The first lanes of a vector, where memory ends before the others: masked, so that memory behind
 * is neither read nor written. 1 <= count <= VECTOR_LANES.
 * Included behind vector.h. */
#pragma once

#include <immintrin.h>

/* The other lanes are 0. */
KERNEL_INLINE vector vector_load_part(const element *from, int count)
{
    const unsigned mask = (1u << count) - 1;
    if (sizeof(element) == sizeof(int32_t))
        return (vector)_mm512_maskz_loadu_epi32((__mmask16)mask, from);
    return (vector)_mm512_maskz_loadu_epi64((__mmask8)mask, from);
}

KERNEL_INLINE void vector_store_part(element *to, vector value, int count)
{
    const unsigned mask = (1u << count) - 1;
    if (sizeof(element) == sizeof(int32_t))
        _mm512_mask_storeu_epi32(to, (__mmask16)mask, (__m512i)value);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)mask, (__m512i)value);
}
