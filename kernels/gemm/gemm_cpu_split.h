/* Which part of a matrix C belongs to which thread: a grid of threads over its rows and columns. */
#pragma once

#include <stdint.h>

/* Rows row .. row_end - 1 by columns column .. column_end - 1; empty for threads left over. */
struct gemm_part {
    int64_t row, row_end, column, column_end;
};

/* Parts begin at multiples of the granules. Of all grids the one is taken whose largest part is the
 * smallest; among equals, the one that reads the least of A and B. */
struct gemm_part gemm_split(int64_t rows, int64_t columns, int row_granule, int column_granule,
                            int thread, int thread_count);
