/* The micro-kernel over A and B as they are stored, for shapes in which an element is used too
 * seldom to be copied first. */
#include "kernels/gemm/gemm_cpu_micro_tile.h"

KERNEL_INLINE vector load_b(const stored *b, int part)
{
    return part ? take_b_part(b, 0, 1, part) : take_b(b, 0);
}

/* One step: each row of the tile by each vector. What is fewer stays in registers. */
KERNEL_INLINE void step(vector *sum, const stored *a, int64_t a_row, const stored *b, int rows,
                        int vectors, int part)
{
    vector hold[TILE_ROWS];
    if (vectors < rows) {
#pragma GCC unroll 24
        for (int v = 0; v < vectors; v++)
            hold[v] = load_b(b + v * VECTOR_LANES, part);
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++) {
            const vector x = broadcast(widen(a[r * a_row]));
#pragma GCC unroll 24
            for (int v = 0; v < vectors; v++)
                sum[r * vectors + v] = multiply_add(sum[r * vectors + v], x, hold[v]);
        }
        return;
    }
#pragma GCC unroll 24
    for (int r = 0; r < rows; r++)
        hold[r] = broadcast(widen(a[r * a_row]));
#pragma GCC unroll 24
    for (int v = 0; v < vectors; v++) {
        const vector x = load_b(b + v * VECTOR_LANES, part);
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            sum[r * vectors + v] = multiply_add(sum[r * vectors + v], hold[r], x);
    }
}

KERNEL_INLINE void run_tile(const struct gemm_tile *tile, int rows, int vectors, int part)
{
    const stored *a = tile->a, *b = tile->b;
    vector sum[TILE_SUMS];
    begin_tile(sum, tile, rows, vectors);
    for (int64_t l = 0; l < tile->steps; l++) {
        step(sum, a, tile->a_row, b, rows, vectors, part);
        a++;
        b += tile->b_row;
    }
    end_tile(sum, tile, rows, vectors);
}

/* C and B are columns, B without gaps: each row of A by it, all of k, in vectors along k. C is
 * overwritten. */
KERNEL_INLINE void run_column(const struct gemm_tile *tile, int rows)
{
    const stored *a = tile->a, *b = tile->b;
    element *c = tile->c;
    vector sum[TILE_ROWS] = {{0}};
    int64_t l = 0;
    for (; l + VECTOR_LANES <= tile->steps; l += VECTOR_LANES) {
        const vector x = take_b(b + l, 0);
#pragma GCC unroll 24
        for (int r = 0; r < rows; r++)
            sum[r] = multiply_add(sum[r], take_b(a + r * tile->a_row + l, 0), x);
    }
    for (int r = 0; r < rows; r++) {
        element total = 0;
        for (int64_t rest = l; rest < tile->steps; rest++)
            total += widen(a[r * tile->a_row + rest]) * widen(b[rest]);
        for (int i = 0; i < VECTOR_LANES; i++)
            total += sum[r][i];
        c[r * tile->c_row] = total;
    }
}

#define FOR_EACH_ROWS(X, v) X(1, v) X(2, v) X(3, v) X(4, v) X(5, v) X(6, v) X(7, v) X(8, v)

#define DEFINE(r, v)                                                                               \
    static void narrow_##r##_##v(const struct gemm_tile *tile)                                     \
    {                                                                                              \
        if (r <= TILE_ROWS && v <= TILE_VECTORS)                                                   \
            run_tile(tile, r, v, 0);                                                               \
    }
FOR_EACH_ROWS(DEFINE, 1)
FOR_EACH_ROWS(DEFINE, 2)
FOR_EACH_ROWS(DEFINE, 3)

#define DEFINE_OTHERS(r, unused)                                                                   \
    static void part_##r(const struct gemm_tile *tile)                                             \
    {                                                                                              \
        if (r <= TILE_ROWS)                                                                        \
            run_tile(tile, r, 1, tile->columns);                                                   \
    }                                                                                              \
    static void column_##r(const struct gemm_tile *tile)                                           \
    {                                                                                              \
        if (r <= TILE_ROWS)                                                                        \
            run_column(tile, r);                                                                   \
    }
FOR_EACH_ROWS(DEFINE_OTHERS, 0)

#define NARROW(r, v)     [r - 1][v - 1] = narrow_##r##_##v,
#define PART_ROW(r, v)   [r - 1] = part_##r,
#define COLUMN_ROW(r, v) [r - 1] = column_##r,
const struct gemm_micro_direct KERNEL_SYMBOL(gemm_micro_direct) = {
    .narrow = {FOR_EACH_ROWS(NARROW, 1) FOR_EACH_ROWS(NARROW, 2) FOR_EACH_ROWS(NARROW, 3)},
    .part = {FOR_EACH_ROWS(PART_ROW, 0)},
    .column = {FOR_EACH_ROWS(COLUMN_ROW, 0)},
};
