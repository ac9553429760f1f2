/* bf16: the upper half of an f32, and summed in f32. */
#pragma once

#include "element.h"
#include "kernels/isa/symbol.h"

#include <stdint.h>
#include <string.h>

typedef uint16_t stored;

KERNEL_INLINE element widen(stored half)
{
    const uint32_t bits = (uint32_t)half << 16;
    element value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
