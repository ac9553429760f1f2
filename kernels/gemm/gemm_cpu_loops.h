/* Between the CPU's teaching rungs (naive, order, tiles) and their common launch. */
#pragma once

#include "kernels/gemm/gemm.h"

/* What one thread computes at a time: `rows` x `columns` of one matrix C, from the rows of A
 * beside it and the columns of B above it. */
struct gemm_block {
    const void *a, *b; /* their first elements */
    void *c;
    int64_t rows, columns;
    int64_t k; /* also the distance of two rows of A */
    int64_t n; /* the distance of two rows of B, and of C */
};

typedef void (*gemm_loop)(const struct gemm_block *block);

/* The tiles of gemm_cpu_2_tiles.c, where they are derived. */
enum { GEMM_TILE_BYTES = 16384, GEMM_TILE_COLUMNS = 256, GEMM_TILE_ROWS = 32 };
