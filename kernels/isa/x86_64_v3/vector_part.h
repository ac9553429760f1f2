/* The first lanes of a vector, where memory ends before the others: masked, so that memory behind
 * is neither read nor written. 1 <= count <= VECTOR_LANES.
 * Included behind vector.h. */
#pragma once

#include <immintrin.h>

KERNEL_INLINE __m256i vector_part_mask(int count)
{
    if (sizeof(element) == sizeof(int32_t))
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}

/* The other lanes are 0. */
KERNEL_INLINE vector vector_load_part(const element *from, int count)
{
    if (sizeof(element) == sizeof(int32_t))
        return (vector)_mm256_maskload_epi32((const int *)from, vector_part_mask(count));
    return (vector)_mm256_maskload_epi64((const long long *)from, vector_part_mask(count));
}

KERNEL_INLINE void vector_store_part(element *to, vector value, int count)
{
    if (sizeof(element) == sizeof(int32_t))
        _mm256_maskstore_epi32((int *)to, vector_part_mask(count), (__m256i)value);
    else
        _mm256_maskstore_epi64((long long *)to, vector_part_mask(count), (__m256i)value);
}
