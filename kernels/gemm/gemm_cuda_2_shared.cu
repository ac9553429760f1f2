/* Rung 2: tiles in shared memory. Rung 1 asks the caches for every operand of every multiply-add;
 * here a block copies a TILE x TILE square of A and of B, and uses each element TILE times.
 *
 * Traffic from the L2 per multiply-add: 2 / TILE elements, an eighth of an element instead of up to
 * two. From shared memory: two elements, of which a warp's threads share that of A.
 * Banks: a warp reads one word of each of two rows of A, and 16 consecutive elements of B: no two
 * words of one bank.
 * What limits it next: two loads from shared memory for each multiply-add; a multiprocessor starts
 * one such load per cycle, and four multiply-adds. */
#include "kernels/gemm/gemm_cuda.cuh"

enum { TILE = 16, THREADS = TILE * TILE };

/* An element of a matrix of rows x columns, 0 outside. */
template <class E>
PORT_DEVICE E element_or_zero(const E *matrix, int64_t row, int64_t column, int64_t rows,
                              int64_t columns)
{
    return row < rows && column < columns ? matrix[row * columns + column] : E{};
}

template <class Type>
static __global__ void __launch_bounds__(THREADS) gemm_shared(gemm_work work)
{
    using element = typename Type::element;
    using sum = typename Type::sum;
    CUDA_SHARED(element, a_tile, [TILE][TILE]);
    CUDA_SHARED(element, b_tile, [TILE][TILE]);
    const gemm_place place = gemm_find_place(work, TILE, TILE);
    const int x = static_cast<int>(threadIdx.x) % TILE, y = static_cast<int>(threadIdx.x) / TILE;
    const int64_t row = place.row + y, column = place.column + x;
    const element *a = static_cast<const element *>(work.a) + place.matrix * work.m * work.k;
    const element *b = static_cast<const element *>(work.b) + place.matrix * work.k * work.n;
    sum total = 0;
    for (int64_t l = 0; l < work.k; l += TILE) {
        shared_store(&a_tile[y][x], element_or_zero(a, row, l + x, work.m, work.k));
        shared_store(&b_tile[y][x], element_or_zero(b, l + y, column, work.k, work.n));
        __syncthreads();
        CUDA_UNROLL
        for (int i = 0; i < TILE; i++)
            total = gemm_multiply_add(Type::number(shared_load(&a_tile[y][i])),
                                      Type::number(shared_load(&b_tile[i][x])), total);
        __syncthreads();
    }
    if (row < work.m && column < work.n)
        static_cast<sum *>(work.c)[(place.matrix * work.m + row) * work.n + column] = total;
}

template <class Type>
static int launch(const struct gemm_args *args, void *stream)
{
    gemm_work work = gemm_describe_work(args);
    const unsigned blocks = gemm_cut_tiles(work, TILE, TILE);
    if (blocks == 0)
        return CUDA_INVALID_VALUE;
    CUDA_LAUNCH(gemm_shared<Type>, blocks, THREADS, 0, stream, work);
    return CUDA_LAUNCH_ERROR();
}

int gemm_cuda_2_shared(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    return gemm_for_type(args->type,
                         [=](auto type) { return launch<decltype(type)>(args, stream); });
}
