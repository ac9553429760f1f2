/* Rung 0: a thread per element of C, and the product as it is defined. Neighbouring threads take
 * neighbouring rows, as one would who thinks of a thread as a loop: in each step the 32 threads of
 * a warp read 32 rows of A, and write 32 rows of C, which are as many sectors of 32 bytes for 4
 * bytes each.
 *
 * Traffic per multiply-add: one element of A in a sector of its own, of which 28 of 32 bytes are
 * used by the next steps if the L1 keeps them, and one of B, which all threads of a warp share.
 * What limits it next: transactions, 33 per warp and step; the L1 serves one in each cycle. */
#include "kernels/gemm/gemm_cuda.cuh"

template <class Type>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) gemm_naive(gemm_work work)
{
    using element = typename Type::element;
    using sum = typename Type::sum;
    const int64_t index = blockIdx.x * static_cast<int64_t>(CUDA_BLOCK_THREADS) + threadIdx.x;
    const int64_t row = index % work.m, column = index / work.m % work.n;
    const int64_t matrix = index / work.m / work.n;
    if (matrix >= work.batch)
        return;
    const element *a = static_cast<const element *>(work.a) + (matrix * work.m + row) * work.k;
    const element *b = static_cast<const element *>(work.b) + matrix * work.k * work.n + column;
    sum total = 0;
    for (int64_t l = 0; l < work.k; l++)
        total = gemm_multiply_add(Type::number(a[l]), Type::number(b[l * work.n]), total);
    static_cast<sum *>(work.c)[(matrix * work.m + row) * work.n + column] = total;
}

template <class Type>
static int launch(const struct gemm_args *args, void *stream)
{
    const gemm_work work = gemm_describe_work(args);
    const unsigned blocks = gemm_cut_elements(work, CUDA_BLOCK_THREADS);
    if (blocks == 0)
        return CUDA_INVALID_VALUE;
    CUDA_LAUNCH(gemm_naive<Type>, blocks, CUDA_BLOCK_THREADS, 0, stream, work);
    return CUDA_LAUNCH_ERROR();
}

int gemm_cuda_0_naive(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    return gemm_for_type(args->type,
                         [=](auto type) { return launch<decltype(type)>(args, stream); });
}
