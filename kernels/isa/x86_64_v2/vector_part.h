/* The first lanes of a vector, where memory ends before the others; this set has no instruction for
 * it. 1 <= count <= VECTOR_LANES.
 * Included behind vector.h. */
#pragma once

/* The other lanes are 0. */
KERNEL_INLINE vector vector_load_part(const element *from, int count)
{
    vector value = {0};
    for (int i = 0; i < count; i++)
        value[i] = from[i];
    return value;
}

KERNEL_INLINE void vector_store_part(element *to, vector value, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = value[i];
}
