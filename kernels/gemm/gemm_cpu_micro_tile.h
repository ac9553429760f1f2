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
 * NEON: 4 x 4). */
#pragma once

#include "kernels/gemm/gemm_cpu_micro.h"
#include "operand.h"

enum {
    TILE_ROWS = VECTOR_REGISTERS == 32 ? 8 : 6,
    TILE_VECTORS = VECTOR_REGISTERS == 32 ? 3 : 2,
    TILE_SUMS = TILE_ROWS * TILE_VECTORS,
};

/* Loops over constant bounds become straight lines: only then do arrays live in registers. */
#define UNROLL _Pragma("GCC unroll 24")

/* `sum` holds rows x vectors, row by row. */
KERNEL_INLINE void begin_tile(vector *sum, const struct gemm_tile *tile, int rows, int vectors)
{
    const element *c = tile->c;
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES;
    if (!tile->add) {
        UNROLL for (int i = 0; i < rows * vectors; i++) sum[i] = (vector){0};
        return;
    }
    UNROLL for (int r = 0; r < rows; r++)
    {
        UNROLL for (int v = 0; v + 1 < vectors; v++) sum[r * vectors + v] =
            vector_load(c + r * tile->c_row + v * VECTOR_LANES);
    }
    const element *edge = c + (vectors - 1) * VECTOR_LANES;
    vector *edge_sum = sum + vectors - 1;
    if (last == VECTOR_LANES) {
        UNROLL for (int r = 0; r < rows; r++) edge_sum[r * vectors] =
            vector_load(edge + r * tile->c_row);
    } else {
        UNROLL for (int r = 0; r < rows; r++) edge_sum[r * vectors] =
            vector_load_part(edge + r * tile->c_row, last);
    }
}

KERNEL_INLINE void end_tile(const vector *sum, const struct gemm_tile *tile, int rows, int vectors)
{
    element *c = tile->c;
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES;
    UNROLL for (int r = 0; r < rows; r++)
    {
        UNROLL for (int v = 0; v + 1 < vectors; v++) *
            (vector_unaligned *)(c + r * tile->c_row + v * VECTOR_LANES) = sum[r * vectors + v];
    }
    element *edge = c + (vectors - 1) * VECTOR_LANES;
    const vector *edge_sum = sum + vectors - 1;
    if (last == VECTOR_LANES) {
        UNROLL for (int r = 0; r < rows; r++) * (vector_unaligned *)(edge + r * tile->c_row) =
            edge_sum[r * vectors];
    } else {
        UNROLL for (int r = 0; r < rows; r++)
            vector_store_part(edge + r * tile->c_row, edge_sum[r * vectors], last);
    }
}

/* A value in all lanes. x - 0 is x for every x, so it costs nothing (-0 + 0 would be 0). */
KERNEL_INLINE vector broadcast(element value)
{
    return value - (vector){0};
}
