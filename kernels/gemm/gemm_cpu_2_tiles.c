/* Rung 2: the same sums, tile by tile. Rung 1 fetches all of B again for each row of C, from L2, L3
 * or memory, and loads and stores C around each multiply-add; here a tile of B is fetched once and
 * used for GEMM_TILE_ROWS rows while it lies in L1, and four of its rows are added to C at a time.
 *
 * The tile: GEMM_TILE_BYTES = 16 KiB, half of the smallest L1 data cache in use (32 KiB), which
 * leaves room for 256 columns of C (1 or 2 KiB) and what else comes by. 16 KiB of 256 columns are
 * 16 rows of f32, 8 of f64, 32 of bf16, 64 of int8.
 *
 * Traffic per multiply-add (2 operations): from L1 one element of B and a quarter of one of C,
 * which is also stored there; from where B lies 1/32 of an element; C is fetched from L2 (32 rows
 * of 256 columns: 32 or 64 KiB) and put back once per tile: 8 bytes per 16 multiply-adds in f32.
 * What limits it next: five loads and a store for four vector multiply-adds, where cores have two
 * loads for two multiply-adds; and rows of B that begin anywhere in a line: every other load, or
 * each of 64 bytes, then takes two lines. */
#include "kernels/gemm/gemm_cpu_loops.h"
#include "stored_vector.h"

enum {
    TILE_DEPTH = GEMM_TILE_BYTES / GEMM_TILE_COLUMNS / (int)sizeof(stored),
    ROWS_AT_ONCE = 4, /* of B: with more, the broadcasts of A would not fit into 16 registers */
};

void KERNEL_SYMBOL(gemm_tiles_loop)(const struct gemm_block *block);

KERNEL_INLINE int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* Vector j of four rows of B, each times its element of A, added to that of C. */
KERNEL_INLINE vector add_four(const element *c, const vector *a, const stored *b, int64_t stride)
{
    vector sum = vector_load(c) + a[0] * widen_vector(b);
    sum = sum + a[1] * widen_vector(b + stride);
    sum = sum + a[2] * widen_vector(b + 2 * stride);
    return sum + a[3] * widen_vector(b + 3 * stride);
}

KERNEL_INLINE element add_four_elements(element c, const vector *a, const stored *b, int64_t stride)
{
    c = c + a[0][0] * widen(b[0]);
    c = c + a[1][0] * widen(b[stride]);
    c = c + a[2][0] * widen(b[2 * stride]);
    return c + a[3][0] * widen(b[3 * stride]);
}

/* c[j] += a[0] b[0][j] + ... + a[3] b[3][j]. */
KERNEL_INLINE void add_four_rows(element *c, const stored *a, const stored *b, int64_t stride,
                                 int64_t columns)
{
    const vector all_a[ROWS_AT_ONCE] = {
        vector_broadcast(widen(a[0])),
        vector_broadcast(widen(a[1])),
        vector_broadcast(widen(a[2])),
        vector_broadcast(widen(a[3])),
    };
    int64_t j = 0;
    for (; j + 2 * VECTOR_LANES <= columns; j += 2 * VECTOR_LANES)
        vector_store_pair(c + j, add_four(c + j, all_a, b + j, stride),
                          add_four(c + j + VECTOR_LANES, all_a, b + j + VECTOR_LANES, stride));
    for (; j < columns; j++)
        c[j] = add_four_elements(c[j], all_a, b + j, stride);
}

/* c[j] += a b[j]: of a tile whose depth is no multiple of four. */
KERNEL_INLINE void add_row(element *c, element a, const stored *b, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        c[j] += a * widen(b[j]);
}

/* One tile of B: `depth` of its rows, `columns` of each; for `rows` rows of C. The first tile of a
 * column of tiles begins the sums. */
KERNEL_INLINE void use_tile(const struct gemm_block *block, int64_t row, int64_t l, int64_t column,
                            int64_t depth, int64_t rows, int64_t columns)
{
    const stored *a = (const stored *)block->a + row * block->k + l;
    const stored *b = (const stored *)block->b + l * block->n + column;
    element *c = (element *)block->c + row * block->n + column;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; l == 0 && j < columns; j++)
            c[i * block->n + j] = 0;
        int64_t t = 0;
        for (; t + ROWS_AT_ONCE <= depth; t += ROWS_AT_ONCE)
            add_four_rows(c + i * block->n, a + i * block->k + t, b + t * block->n, block->n,
                          columns);
        for (; t < depth; t++)
            add_row(c + i * block->n, widen(a[i * block->k + t]), b + t * block->n, columns);
    }
}

void KERNEL_SYMBOL(gemm_tiles_loop)(const struct gemm_block *block)
{
    for (int64_t row = 0; row < block->rows; row += GEMM_TILE_ROWS)
        for (int64_t column = 0; column < block->columns; column += GEMM_TILE_COLUMNS)
            for (int64_t l = 0; l < block->k; l += TILE_DEPTH)
                use_tile(block, row, l, column, least(TILE_DEPTH, block->k - l),
                         least(GEMM_TILE_ROWS, block->rows - row),
                         least(GEMM_TILE_COLUMNS, block->columns - column));
}
