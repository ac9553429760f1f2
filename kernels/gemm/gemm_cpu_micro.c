/* The micro-kernel over packed A and B, one function per shape of tile: whole tiles, and those at
 * the edges of C, which take only the steps that their rows and vectors need. */
#include "kernels/gemm/gemm_cpu_micro_tile.h"

void KERNEL_SYMBOL(gemm_pack_a)(const struct gemm_slab *slab);
void KERNEL_SYMBOL(gemm_pack_b)(const struct gemm_slab *slab);

/* Is the tile one of this set's, or of a set with more registers? */
#define FITS(rows, vectors) ((rows) <= TILE_ROWS && (vectors) <= TILE_VECTORS)

/* The tile of C to the right comes next: a miss would hold up all its sums. */
KERNEL_INLINE void fetch_next(const struct gemm_tile *tile, int rows)
{
    enum { LINE_ELEMENTS = 64 / (int)sizeof(element), WIDTH = TILE_VECTORS * VECTOR_LANES };
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++) {
        const element *next = (const element *)tile->c + r * tile->c_row + WIDTH;
#pragma GCC unroll 24
        for (int i = 0; i < WIDTH; i += LINE_ELEMENTS)
            __builtin_prefetch(next + i, 1);
    }
}

KERNEL_INLINE void run_tile(const struct gemm_tile *tile, int rows, int vectors)
{
    const element *a = tile->a, *b = tile->b, *start = tile->start;
    vector sum[TILE_SUMS];
    begin_tile(sum, tile, rows, vectors);
#pragma GCC unroll 24
    for (int i = 0; i < rows * vectors; i++)
        sum[i] = begin_sum(sum[i], start + i % vectors * VECTOR_LANES);
    fetch_next(tile, rows);

    for (int64_t step = 0; step < tile->steps; step++) {
        vector row[TILE_VECTORS];
#pragma GCC unroll 24
        for (int v = 0; v < vectors; v++)
            row[v] = vector_load(b + v * VECTOR_LANES);
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++) {
            const vector x = broadcast(a[r]);
#pragma GCC unroll 24
            for (int v = 0; v < vectors; v++)
                sum[r * vectors + v] = multiply_add(sum[r * vectors + v], x, row[v]);
        }
        a += TILE_ROWS;
        b += TILE_VECTORS * VECTOR_LANES;
    }
    end_tile(sum, tile, rows, vectors);
}

#define FOR_EACH_ROWS(X, v) X(1, v) X(2, v) X(3, v) X(4, v) X(5, v) X(6, v) X(7, v) X(8, v)

#define DEFINE(r, v)                                                                               \
    static void tile_##r##_##v(const struct gemm_tile *tile)                                       \
    {                                                                                              \
        if (FITS(r, v))                                                                            \
            run_tile(tile, r, v);                                                                  \
    }
FOR_EACH_ROWS(DEFINE, 1)
FOR_EACH_ROWS(DEFINE, 2)
FOR_EACH_ROWS(DEFINE, 3)

#define ROW(r, v) [r - 1][v - 1] = tile_##r##_##v,
const struct gemm_micro KERNEL_SYMBOL(gemm_micro) = {
    .rows = TILE_ROWS,
    .vectors = TILE_VECTORS,
    .lanes = VECTOR_LANES,
    .products = PRODUCTS,
    .pack_a = KERNEL_SYMBOL(gemm_pack_a),
    .pack_b = KERNEL_SYMBOL(gemm_pack_b),
    .packed = {FOR_EACH_ROWS(ROW, 1) FOR_EACH_ROWS(ROW, 2) FOR_EACH_ROWS(ROW, 3)},
};
