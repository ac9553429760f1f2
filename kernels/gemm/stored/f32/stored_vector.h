/* A register of B, as it is stored. */
#pragma once

#include "stored.h"
#include "vector.h"

KERNEL_INLINE vector widen_vector(const stored *from)
{
    return vector_load(from);
}
