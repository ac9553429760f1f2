/* Packing: A and B into the order in which the micro-kernel reads them, widened or put side by side
 * as its multiply-add wants it. */
#include "kernels/gemm/gemm_cpu_micro_tile.h"

void KERNEL_SYMBOL(gemm_pack_a)(const struct gemm_slab *slab);
void KERNEL_SYMBOL(gemm_pack_b)(const struct gemm_slab *slab);

/* Rows of B ahead that are asked for: the next row begins far from the end of this one, where no
 * prefetcher of the core expects it. */
enum { ROWS_AHEAD = 4, SLIVER_LANES = TILE_VECTORS * VECTOR_LANES };

typedef int32_t words __attribute__((vector_size(16), may_alias));
typedef int64_t double_words __attribute__((vector_size(16), may_alias));
typedef words words_unaligned __attribute__((aligned(4)));
typedef double_words double_words_unaligned __attribute__((aligned(8)));

/* ---- A: a sliver's rows become columns, a block of 16 bytes by 16 bytes at a time. */

/* Four rows of four lanes. */
KERNEL_INLINE void transpose_four(const stored *from, int64_t row, element *to)
{
    const words r0 = (words)take_a_block(from), r1 = (words)take_a_block(from + row);
    const words r2 = (words)take_a_block(from + 2 * row), r3 = (words)take_a_block(from + 3 * row);
    const words low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const words low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const words high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const words high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    const words columns[] = {
        __builtin_shufflevector(low01, low23, 0, 1, 4, 5),
        __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
        __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
        __builtin_shufflevector(high01, high23, 2, 3, 6, 7),
    };
#pragma GCC unroll 24
    for (int i = 0; i < 4; i++)
        *(words_unaligned *)(to + i * TILE_ROWS) = columns[i];
}

/* Two rows of two lanes. */
KERNEL_INLINE void transpose_two(const stored *from, int64_t row, element *to)
{
    const double_words r0 = (double_words)take_a_block(from);
    const double_words r1 = (double_words)take_a_block(from + row);
    *(double_words_unaligned *)to = __builtin_shufflevector(r0, r1, 0, 2);
    *(double_words_unaligned *)(to + TILE_ROWS) = __builtin_shufflevector(r0, r1, 1, 3);
}

KERNEL_INLINE void transpose_block(const stored *from, int64_t row, element *to)
{
    if (sizeof(element) == sizeof(int32_t))
        transpose_four(from, row, to);
    else
        transpose_two(from, row, to);
}

KERNEL_INLINE void pack_sliver(const stored *from, int64_t row, int rows, int64_t columns,
                               element *to)
{
    enum { BLOCK_COLUMNS = BLOCK_LANES * PRODUCTS };
    int64_t column = 0;
    for (; column + BLOCK_COLUMNS <= columns;
         column += BLOCK_COLUMNS, to += BLOCK_LANES * TILE_ROWS) {
        const stored *at = from + column;
        int r = 0;
#pragma GCC unroll 24
        for (; r + BLOCK_LANES <= rows; r += BLOCK_LANES)
            transpose_block(at + r * row, row, to + r);
        for (; r < rows; r++)
#pragma GCC unroll 24
            for (int i = 0; i < BLOCK_LANES; i++)
                to[i * TILE_ROWS + r] = take_a(at + r * row + i * PRODUCTS, PRODUCTS);
    }
    for (; column < columns; column += PRODUCTS, to += TILE_ROWS) {
        const int64_t left = columns - column;
        for (int r = 0; r < rows; r++)
            to[r] = take_a(from + r * row + column, left < PRODUCTS ? (int)left : PRODUCTS);
    }
}

void KERNEL_SYMBOL(gemm_pack_a)(const struct gemm_slab *slab)
{
    const int64_t steps = (slab->columns + PRODUCTS - 1) / PRODUCTS;
    const stored *from = slab->from;
    element *to = slab->to;
    for (int64_t row = 0; row < slab->rows; row += TILE_ROWS) {
        if (row + TILE_ROWS <= slab->rows)
            pack_sliver(from, slab->row, TILE_ROWS, slab->columns, to);
        else
            pack_sliver(from, slab->row, (int)(slab->rows - row), slab->columns, to);
        from += TILE_ROWS * slab->row;
        to += TILE_ROWS * steps;
    }
}

/* ---- B: PRODUCTS of its rows at a time are dealt out among the slivers. */

KERNEL_INLINE void put_b(vector value, element *to, element *start)
{
    store(to, value);
    store(start, add_to_start(vector_load(start), value));
}

KERNEL_INLINE void pack_rows(const struct gemm_slab *slab, const stored *from, int rows,
                             int64_t sliver, element *to)
{
    element *start = slab->start;
    int64_t column = 0;
    for (; column + VECTOR_LANES <= slab->columns && rows == PRODUCTS; column += VECTOR_LANES) {
        __builtin_prefetch(from + ROWS_AHEAD * PRODUCTS * slab->row + column);
        element *at = to + column / SLIVER_LANES * sliver + column % SLIVER_LANES;
        put_b(take_b(from + column, slab->row), at, start + column);
    }
    for (; column < slab->columns; column += VECTOR_LANES) {
        const int64_t left = slab->columns - column;
        element *at = to + column / SLIVER_LANES * sliver + column % SLIVER_LANES;
        put_b(take_b_part(from + column, slab->row, rows,
                          left < VECTOR_LANES ? (int)left : VECTOR_LANES),
              at, start + column);
    }
}

void KERNEL_SYMBOL(gemm_pack_b)(const struct gemm_slab *slab)
{
    const int64_t steps = (slab->rows + PRODUCTS - 1) / PRODUCTS;
    element *start = slab->start;
    for (int64_t column = 0; column < slab->columns; column += VECTOR_LANES)
        store(start + column, (vector){0});
    for (int64_t step = 0; step < steps; step++) {
        const int64_t left = slab->rows - step * PRODUCTS;
        pack_rows(slab, (const stored *)slab->from + step * PRODUCTS * slab->row,
                  left < PRODUCTS ? (int)left : PRODUCTS, steps * SLIVER_LANES,
                  (element *)slab->to + step * SLIVER_LANES);
    }
}
