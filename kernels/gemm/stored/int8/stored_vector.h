/* A register of B: a quarter of a register is read, and widened with its sign; in two steps, since
 * gcc 12 knows no single one and would widen value by value. */
#pragma once

#include "stored.h"
#include "vector.h"

typedef int8_t quarter_vector __attribute__((vector_size(VECTOR_BYTES / 4), aligned(1), may_alias));
typedef int16_t half_vector __attribute__((vector_size(VECTOR_BYTES / 2)));

KERNEL_INLINE vector widen_vector(const stored *from)
{
    const half_vector half = __builtin_convertvector(*(const quarter_vector *)from, half_vector);
    return (vector) __builtin_convertvector(half, vector);
}
