/* A register of B: half a register is read, and widened by a shift. */
#pragma once

#include "stored.h"
#include "vector.h"

typedef uint16_t half_vector
    __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(uint16_t)), may_alias));
typedef uint32_t bits_vector __attribute__((vector_size(VECTOR_BYTES)));

KERNEL_INLINE vector widen_vector(const stored *from)
{
    return (vector)(__builtin_convertvector(*(const half_vector *)from, bits_vector) << 16);
}
