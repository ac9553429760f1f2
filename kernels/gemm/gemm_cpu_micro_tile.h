/* A tile of C in registers: its shape, its beginning and its end. Included by the sources that are
 * compiled per instruction set.
 *
 * The shape: accumulators + vectors of B + a broadcast of A (+ a product where no instruction adds
 * it at once) must fit the registers, and each load should serve as many multiply-adds as can be:
 *
 *     registers   rows x vectors   accumulators + B + A (+ product)   multiply-adds per load
 *     32          8 x 3            24 + 3 + 1      = 28               24 / 11
 *     16          6 x 2            12 + 2 + 1 (+1) = 15 or 16         12 / 8
 *
 * Both have more independent sums than a core has multiply-adds in flight (2 units x 4 or 5 cycles;
 * NEON: 4 x 4).
 *
 * Loops over the tile are unrolled by force (24: the most sums of a tile): only where every index
 * is a constant do arrays live in registers. */
#pragma once

#include "kernels/gemm/gemm_cpu_micro.h"
#include "operand.h"

enum {
    TILE_ROWS = VECTOR_REGISTERS == 32 ? 8 : 6,
    TILE_VECTORS = VECTOR_REGISTERS == 32 ? 3 : 2,
    TILE_SUMS = TILE_ROWS * TILE_VECTORS,
};

KERNEL_INLINE void store(element *to, vector value)
{
    *(vector_unaligned *)to = value;
}

/* `sum` holds rows x vectors, row by row: 0, or what C holds. */
KERNEL_INLINE void begin_tile(vector *sum, const struct gemm_tile *tile, int rows, int vectors)
{
    const element *c = tile->c, *edge = c + (vectors - 1) * VECTOR_LANES;
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES;
    if (!tile->add) {
#pragma GCC unroll 24
        for (int i = 0; i < rows * vectors; i++)
            sum[i] = (vector){0};
        return;
    }
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 24
        for (int v = 0; v + 1 < vectors; v++)
            sum[r * vectors + v] = vector_load(c + r * tile->c_row + v * VECTOR_LANES);
    vector *edge_sum = sum + vectors - 1;
    if (last == VECTOR_LANES) {
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            edge_sum[r * vectors] = vector_load(edge + r * tile->c_row);
    } else {
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            edge_sum[r * vectors] = vector_load_part(edge + r * tile->c_row, last);
    }
}

KERNEL_INLINE void end_tile(const vector *sum, const struct gemm_tile *tile, int rows, int vectors)
{
    element *c = tile->c, *edge = c + (vectors - 1) * VECTOR_LANES;
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES;
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 24
        for (int v = 0; v + 1 < vectors; v++)
            store(c + r * tile->c_row + v * VECTOR_LANES, sum[r * vectors + v]);
    const vector *edge_sum = sum + vectors - 1;
    if (last == VECTOR_LANES) {
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            store(edge + r * tile->c_row, edge_sum[r * vectors]);
    } else {
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            vector_store_part(edge + r * tile->c_row, edge_sum[r * vectors], last);
    }
}

/* A value in all lanes. x - 0 is x for every x, so it costs nothing (-0 + 0 would be 0). */
KERNEL_INLINE vector broadcast(element value)
{
    return value - (vector){0};
}
