/* The element type of the dot loops: 32 bits of a register, which are two bf16 or four int8 values
 * where they are read, and the f32 or int32 that their products are summed in. */
#pragma once

#include <stdint.h>

typedef int32_t element;
