/* What the micro-kernel multiplies: four products of int8 per 32-bit lane, summed in int32. A lane
 * of packed B holds four elements of a column, one of A four of a row, which lie side by side.
 *
 * The instruction takes one factor without sign. So A is packed as a + 128 (which is a with its top
 * bit flipped) and each sum of column j begins with -128 (b[0][j] + b[1][j] + ...), its start:
 *
 *     sum of (a + 128) b  -  128 x sum of b  =  sum of a b
 *
 * exactly, and modulo 2^32 even where a sum on the way does not fit. */
#pragma once

#include "vector.h"
#include "vector_part.h"

enum { PRODUCTS = 4, BLOCK_LANES = 4 };

typedef int8_t stored;
typedef element element_block __attribute__((vector_size(16), may_alias));
typedef element_block element_block_unaligned __attribute__((aligned(sizeof(stored))));
typedef uint8_t stored_lanes
    __attribute__((vector_size(VECTOR_BYTES / 4), aligned(sizeof(stored)), may_alias));
#define TOP_BITS 0x80808080u

typedef uint32_t bits __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* sum + a0 b0 + ... + a3 b3, in each lane. */
KERNEL_INLINE vector multiply_add(vector sum, vector a, vector b)
{
    return vector_step(sum, a, b);
}

KERNEL_INLINE bits spread_out(const stored *from)
{
    return __builtin_convertvector(*(const stored_lanes *)from, bits);
}

/* A register of B from its rows l .. l + 3; `row` is the distance of two. */
KERNEL_INLINE vector take_b(const stored *from, int64_t row)
{
    return (vector)(spread_out(from) | spread_out(from + row) << 8 |
                    spread_out(from + 2 * row) << 16 | spread_out(from + 3 * row) << 24);
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

/* A lane of A. `count` is how many of PRODUCTS there are; where there is none, B is 0. */
KERNEL_INLINE element take_a(const stored *from, int count)
{
    uint32_t lane = 0;
    for (int p = 0; p < count; p++)
        lane |= (uint32_t)(uint8_t)from[p] << 8 * p;
    return (element)(lane ^ TOP_BITS);
}

/* BLOCK_LANES lanes of A, side by side in a row. */
KERNEL_INLINE element_block take_a_block(const stored *from)
{
    return *(const element_block_unaligned *)from ^ (element)TOP_BITS;
}

/* What a sum begins with, given the start of its column. */
KERNEL_INLINE vector begin_sum(vector c, const element *start)
{
    return c + vector_load(start);
}

/* The start of these columns after one more register of packed B. */
KERNEL_INLINE vector add_to_start(vector start, vector b)
{
    const vector zero = {0};
    return start - multiply_add(zero, zero + (element)TOP_BITS, b);
}
