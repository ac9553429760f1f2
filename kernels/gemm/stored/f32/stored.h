/* f32: summed in the type that A and B are stored in. */
#pragma once

#include "element.h"
#include "kernels/isa/symbol.h"

typedef float stored;

KERNEL_INLINE element widen(stored value)
{
    return value;
}
