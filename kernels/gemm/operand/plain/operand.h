/* What the micro-kernel multiplies: one product per lane. A and B are widened to the type of the
 * sums while they are packed. */
#pragma once

#include "stored_vector.h"
#include "vector_part.h"

#include <stdint.h>

enum { PRODUCTS = 1 };

/* 16 bytes of sums, the unit in which A is transposed. */
typedef element element_block __attribute__((vector_size(16), may_alias));
typedef element_block element_block_unaligned __attribute__((aligned(sizeof(stored))));
enum { BLOCK_LANES = 16 / (int)sizeof(element) };

/* sum + a b, in each lane. */
KERNEL_INLINE vector multiply_add(vector sum, vector a, vector b)
{
    return sum + a * b;
}

/* A register of B from its row l; `row` is the distance to the next. */
KERNEL_INLINE vector take_b(const stored *from, int64_t row)
{
    (void)row;
    return widen_vector(from);
}

/* The first columns of one, the others 0. `rows` is how many of PRODUCTS there are. */
KERNEL_INLINE vector take_b_part(const stored *from, int64_t row, int rows, int columns)
{
    (void)row, (void)rows;
    if (sizeof(stored) == sizeof(element))
        return vector_load_part((const element *)from, columns);
    stored copy[VECTOR_LANES] = {0};
    for (int j = 0; j < columns; j++)
        copy[j] = from[j];
    return widen_vector(copy);
}

/* A lane of A. `count` is how many of PRODUCTS there are. */
KERNEL_INLINE element take_a(const stored *from, int count)
{
    (void)count;
    return widen(*from);
}

/* BLOCK_LANES lanes of A, side by side in a row. */
KERNEL_INLINE element_block take_a_block(const stored *from)
{
    element_block block;
    if (sizeof(stored) == sizeof(element))
        return *(const element_block_unaligned *)from;
    for (int i = 0; i < BLOCK_LANES; i++)
        block[i] = widen(from[i]);
    return block;
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
