/* Rung 1: the loops in another order: i, l, j. Rung 0 walks down columns of B, a line per
 * multiply-add, with one sum to wait for; here row l of B, times one element of A, is added to row
 * i of C. Both are read in the order in which they lie, whole lines are used, neighbouring sums do
 * not wait for one another, and so vectors of them are multiplied at once.
 *
 * Traffic per multiply-add (2 operations): one element of B from the level that all of B fits in,
 * since it is walked through once per row of C; one element of C read and written back, in the
 * L1 cache for n up to some thousands.
 * What limits it next: B comes by again for each row, and each element that is brought near is used
 * once. */
#include "kernels/gemm/gemm_cpu_loops.h"
#include "stored_vector.h"

void KERNEL_SYMBOL(gemm_order_loop)(const struct gemm_block *block);

/* c[j] += a b[j]. */
KERNEL_INLINE void add_row(element *c, element a, const stored *b, int64_t columns)
{
    const vector all_a = vector_broadcast(a);
    int64_t j = 0;
    for (; j + 2 * VECTOR_LANES <= columns; j += 2 * VECTOR_LANES) {
        const vector first = vector_load(c + j) + all_a * widen_vector(b + j);
        const vector second =
            vector_load(c + j + VECTOR_LANES) + all_a * widen_vector(b + j + VECTOR_LANES);
        vector_store_pair(c + j, first, second);
    }
    for (; j < columns; j++)
        c[j] += a * widen(b[j]);
}

void KERNEL_SYMBOL(gemm_order_loop)(const struct gemm_block *block)
{
    const stored *a = block->a, *b = block->b;
    element *c = block->c;
    for (int64_t i = 0; i < block->rows; i++) {
        for (int64_t j = 0; j < block->columns; j++)
            c[i * block->n + j] = 0;
        for (int64_t l = 0; l < block->k; l++)
            add_row(c + i * block->n, widen(a[i * block->k + l]), b + l * block->n, block->columns);
    }
}
