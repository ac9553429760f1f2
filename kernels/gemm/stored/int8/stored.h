/* int8: summed in int32. */
#pragma once

#include "element.h"
#include "kernels/isa/symbol.h"

#include <stdint.h>

typedef int8_t stored;

KERNEL_INLINE element widen(stored value)
{
    return value;
}
