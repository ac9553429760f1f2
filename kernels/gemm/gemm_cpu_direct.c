/* Three kinds of product are not worth packing: small ones, which lie in the caches as they are;
 * few rows, since each element of B is then used by one tile only; and few columns, likewise for A.
 *
 * Few rows (a vector times a matrix, at the extreme): B is used once, so that what counts is how it
 * is read. FLAT_DEPTH rows of it side by side, each from its beginning to its end in pieces of one
 * tile: that many streams a core's prefetchers follow, and rows whose distance is a multiple of 4
 * KiB still find room in the 8 ways of an L1 cache (of 16 streams, 15 % of the rate are lost on Zen
 * 4, of 32 half). C, in L1, is touched once per FLAT_DEPTH rows. Few columns: B stays in L2 by
 * blocks of TALL_BYTES, and A passes by once. One column: rows of A are read along k, so the sums
 * are taken in vectors along k, too. */
#include "kernels/gemm/gemm_cpu_direct.h"

enum {
    FLAT_DEPTH = 8,
    TALL_BYTES = 262144,
    SMALL_BYTES = 131072, /* A and B together */
};

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

bool gemm_direct_suits(const struct gemm_args *args, const struct gemm_micro *micro)
{
    const int64_t elements = args->m * args->k + args->k * args->n;
    return args->m <= micro->rows || args->n <= (int64_t)micro->vectors * micro->lanes ||
           elements * gemm_element_bytes(args->type) <= SMALL_BYTES;
}

/* One row of tiles: `rows` rows by all columns of the part. */
static void multiply_strip(const struct gemm_args *args, const struct gemm_micro *micro,
                           const struct gemm_micro_direct *direct, struct gemm_tile tile,
                           int64_t rows, int64_t columns)
{
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    const int64_t sum_bytes = gemm_sum_bytes(args->type);
    while (columns > 0) {
        const int64_t vectors = columns / micro->lanes;
        gemm_tile_loop loop = direct->part[rows - 1];
        tile.columns = (int)columns;
        if (vectors > 0) {
            const int64_t narrow = least(vectors, micro->vectors);
            tile.columns = (int)(narrow * micro->lanes);
            loop = direct->narrow[rows - 1][narrow - 1];
        }
        loop(&tile);
        tile.b = (const char *)tile.b + tile.columns * stored_bytes;
        tile.c = (char *)tile.c + tile.columns * sum_bytes;
        columns -= tile.columns;
    }
}

static int64_t depth_of(const struct gemm_args *args, const struct gemm_micro *micro)
{
    const int64_t row_bytes = args->n * gemm_element_bytes(args->type);
    if (args->n == 1 || args->k * row_bytes <= TALL_BYTES)
        return args->k;
    if (args->m <= micro->rows)
        return FLAT_DEPTH;
    const int64_t depth = TALL_BYTES / row_bytes;
    return depth > FLAT_DEPTH ? depth : FLAT_DEPTH;
}

void gemm_direct_multiply(const struct gemm_args *args, const struct gemm_micro *micro,
                          const struct gemm_micro_direct *direct, const struct gemm_matrices *at,
                          const struct gemm_part *part)
{
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    const int64_t sum_bytes = gemm_sum_bytes(args->type);
    const int64_t depth = depth_of(args, micro);
    for (int64_t l = 0; l < args->k; l += depth)
        for (int64_t row = part->row; row < part->row_end; row += micro->rows) {
            const int64_t rows = least(micro->rows, part->row_end - row);
            const struct gemm_tile tile = {
                .a = at->a + (row * args->k + l) * stored_bytes,
                .a_row = args->k,
                .b = at->b + (l * args->n + part->column) * stored_bytes,
                .b_row = args->n,
                .c = at->c + (row * args->n + part->column) * sum_bytes,
                .c_row = args->n,
                .steps = least(depth, args->k - l),
                .add = l > 0,
            };
            if (args->n == 1)
                direct->column[rows - 1](&tile);
            else
                multiply_strip(args, micro, direct, tile, rows, part->column_end - part->column);
        }
}
