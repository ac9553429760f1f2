/* Rung 1: neighbouring threads take neighbouring columns. Rung 0 reads a sector of memory for every
 * thread; here a warp reads 32 consecutive elements of B at once, one element of A for all of its
 * threads, and writes consecutive elements of C.
 *
 * Traffic per multiply-add: an element of B, and a 32nd of one of A, through the L1; from memory
 * less, as far as the caches keep rows of B for the warps that come by later.
 * What limits it next: two loads for one multiply-add, where a multiprocessor starts four times as
 * many of these as the L1 serves loads; and caches that know nothing of the product. */
#include "kernels/gemm/gemm_cuda.cuh"

template <class Type>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) gemm_coalesced(gemm_work work)
{
    using element = typename Type::element;
    using sum = typename Type::sum;
    const int64_t index = blockIdx.x * static_cast<int64_t>(CUDA_BLOCK_THREADS) + threadIdx.x;
    const int64_t row = index / work.n, column = index % work.n; /* row counts through the batch */
    if (row >= work.m * work.batch)
        return;
    const int64_t matrix = row / work.m;
    const element *a = static_cast<const element *>(work.a) + row * work.k;
    const element *b = static_cast<const element *>(work.b) + matrix * work.k * work.n + column;
    sum total = 0;
    for (int64_t l = 0; l < work.k; l++)
        total = gemm_multiply_add(Type::number(a[l]), Type::number(b[l * work.n]), total);
    static_cast<sum *>(work.c)[index] = total;
}

template <class Type>
static int launch(const struct gemm_args *args, void *stream)
{
    const gemm_work work = gemm_describe_work(args);
    const unsigned blocks = gemm_cut_elements(work, CUDA_BLOCK_THREADS);
    if (blocks == 0)
        return CUDA_INVALID_VALUE;
    CUDA_LAUNCH(gemm_coalesced<Type>, blocks, CUDA_BLOCK_THREADS, 0, stream, work);
    return CUDA_LAUNCH_ERROR();
}

int gemm_cuda_1_coalesced(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    return gemm_for_type(args->type,
                         [=](auto type) { return launch<decltype(type)>(args, stream); });
}
