/* Rung 0: the definition, written as it is read: c[i][j] is the dot product of a row of A and a
 * column of B, one multiply-add after the other.
 *
 * Traffic per multiply-add (2 operations): one element of A, of which a line serves many, and one
 * of B, of which each lies in a line of its own: 64 bytes to use 2, 4 or 8 of them. The k lines of
 * a column serve the next columns, too, as long as they stay in a cache; where rows are a multiple
 * of 4096 bytes apart, they all fall into the same few places of each cache, and none stays.
 * What limits it next: the walk down the column, and, where the lines stay near, the one sum that
 * each addition waits for (3 or 4 cycles). */
#include "kernels/gemm/gemm_cpu_loops.h"
#include "stored.h"

void KERNEL_SYMBOL(gemm_naive_loop)(const struct gemm_block *block);

void KERNEL_SYMBOL(gemm_naive_loop)(const struct gemm_block *block)
{
    const stored *a = block->a, *b = block->b;
    element *c = block->c;
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < block->columns; j++) {
            element sum = 0;
            for (int64_t l = 0; l < block->k; l++)
                sum += widen(a[i * block->k + l]) * widen(b[l * block->n + j]);
            c[i * block->n + j] = sum;
        }
}
