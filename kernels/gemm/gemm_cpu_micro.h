/* Between the loops that are compiled once per instruction set and type, and the blocking around
 * them, which is compiled once. */
#pragma once

#include "kernels/gemm/gemm.h"

enum {
    GEMM_MICRO_ROWS = 8, /* the largest tile of any set */
    GEMM_MICRO_VECTORS = 3,
};

/* What a micro-kernel computes: a tile of C whose sums stay in registers for `steps` steps, each a
 * lane of A (gemm_micro.products elements of k) times one of B. */
struct gemm_tile {
    const void *a, *b;
    int64_t a_row, b_row; /* unpacked: elements from one row to the next */
    const void *start;    /* packed: what the sums begin with, a lane per column */
    void *c;
    int64_t c_row;
    int64_t steps;
    int columns; /* ends in the last vector of the tile */
    bool add;    /* C is added to, not overwritten */
};

typedef void (*gemm_tile_loop)(const struct gemm_tile *tile);

/* What is to be packed: rows x columns of A or B, `row` elements from one to the next. */
struct gemm_slab {
    const void *from;
    int64_t row, rows, columns;
    void *to;
    void *start; /* of B: a lane per column, written */
};

typedef void (*gemm_pack)(const struct gemm_slab *slab);

/* The loops of one instruction set and type. Packed A: slivers of `rows` rows, in each the lanes of
 * a column side by side. Packed B: slivers of `vectors` vectors. */
struct gemm_micro {
    int rows, vectors, lanes; /* the tile, rows x (vectors x lanes) */
    int products;             /* elements of k per lane */
    gemm_pack pack_a, pack_b;
    gemm_tile_loop packed[GEMM_MICRO_ROWS][GEMM_MICRO_VECTORS]; /* by rows and vectors, less 1 */
};

/* The same without packing: A and B as they are stored. */
struct gemm_micro_direct {
    gemm_tile_loop narrow[GEMM_MICRO_ROWS][GEMM_MICRO_VECTORS]; /* whole vectors */
    gemm_tile_loop part[GEMM_MICRO_ROWS];                       /* less than one vector */
    gemm_tile_loop column[GEMM_MICRO_ROWS]; /* B and C have one column; summed along k */
};
