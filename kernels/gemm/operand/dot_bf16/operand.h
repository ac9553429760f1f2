/* What the micro-kernel multiplies: two products of bf16 per 32-bit lane, summed in f32. A lane of
 * packed B holds two elements of a column, one of A two of a row, which lie side by side already.
 */
#pragma once

#include "vector.h"
#include "vector_part.h"

enum { PRODUCTS = 2, BLOCK_LANES = 4 };

typedef uint16_t stored;
typedef element element_block __attribute__((vector_size(16), may_alias));
typedef element_block element_block_unaligned __attribute__((aligned(sizeof(stored))));
typedef uint16_t stored_lanes
    __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(stored)), may_alias));
typedef uint32_t bits __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* sum + a0 b0 + a1 b1, in each lane. */
KERNEL_INLINE vector multiply_add(vector sum, vector a, vector b)
{
    return vector_step(sum, a, b);
}

KERNEL_INLINE bits spread_out(const stored *from)
{
    return __builtin_convertvector(*(const stored_lanes *)from, bits);
}

/* A register of B from its rows l and l + 1; `row` is the distance of the two. */
KERNEL_INLINE vector take_b(const stored *from, int64_t row)
{
    return (vector)(spread_out(from) | spread_out(from + row) << 16);
}

/* The first columns of one, the others 0. `rows` is how many of PRODUCTS there are; 0 stands for
 * the others. */
KERNEL_INLINE vector take_b_part(const stored *from, int64_t row, int rows, int columns)
{
    stored copy[PRODUCTS][VECTOR_LANES] = {{0}};
    for (int p = 0; p < rows; p++)
        for (int j = 0; j < columns; j++)
            copy[p][j] = from[p * row + j];
    return take_b(copy[0], VECTOR_LANES);
}

/* A lane of A. `count` is how many of PRODUCTS there are; 0 stands for the others. */
KERNEL_INLINE element take_a(const stored *from, int count)
{
    uint32_t lane = 0;
    for (int p = 0; p < count; p++)
        lane |= (uint32_t)from[p] << 16 * p;
    return (element)lane;
}

/* BLOCK_LANES lanes of A, side by side in a row. */
KERNEL_INLINE element_block take_a_block(const stored *from)
{
    return *(const element_block_unaligned *)from;
}

/* What a sum begins with, given the start of its column; see dot_int8/operand.h. */
KERNEL_INLINE vector begin_sum(vector c, const element *start)
{
    (void)start;
    return c;
}

/* The start of these columns after one more register of packed B. */
KERNEL_INLINE vector add_to_start(vector start, vector b)
{
    (void)b;
    return start;
}
