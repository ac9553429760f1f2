/* A vector of VECTOR_BYTES in the compiler's own notation (gcc and clang alike): + and * work on
 * all lanes. Included by the vector.h of an instruction set, which says how wide it is. */
#pragma once

#include "element.h"
#include "kernels/isa/symbol.h"

enum { VECTOR_LANES = VECTOR_BYTES / (int)sizeof(element) };

typedef element vector __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* As aligned as one element is: loads and stores may start anywhere. */
typedef vector vector_unaligned __attribute__((aligned(sizeof(element))));

KERNEL_INLINE vector vector_load(const element *from)
{
    return *(const vector_unaligned *)from;
}

KERNEL_INLINE vector vector_broadcast(element value)
{
    return (vector){0} + value;
}

/* Two vectors side by side, the unit of the stores: Arm stores past the caches only in pairs. */
KERNEL_INLINE void vector_store_pair(element *to, vector first, vector second)
{
    *(vector_unaligned *)to = first;
    *(vector_unaligned *)(to + VECTOR_LANES) = second;
}
