/* Rung 0: one element per thread and step, the threads of the grid side by side.
 *
 * A warp asks for 32 neighbouring elements at once, 128 bytes in f32, so no byte is moved in vain:
 * traffic per element as stream.h counts it.
 * What limits it next: instructions. Each element of 4 bytes costs its own load, store, addition to
 * the index (64 bits: two instructions) and comparison, and a thread waits for its one load before
 * it asks for the next: 2048 threads x 4 bytes in flight on a multiprocessor, 8 KiB, where HBM at
 * 25 GB/s per multiprocessor and 600 ns needs 15 KiB. */
#include "kernels/stream/stream_cuda.cuh"

template <stream_op op, stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) stream_map(stream_work<T> work)
{
    for (int64_t pass = 0; pass < work.passes; pass++) {
        CUDA_NO_UNROLL
        for (int64_t i = stream_thread(); i < work.count; i += stream_threads())
            stream_finish<op, store, T, 1>(work, i, stream_fetch<op, store, T, 1>(work, i));
        compiler_barrier();
    }
}

template <stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) stream_read(stream_work<T> work)
{
    T sum = 0;
    for (int64_t pass = 0; pass < work.passes; pass++) {
        sum = 0;
        CUDA_NO_UNROLL
        for (int64_t i = stream_thread(); i < work.count; i += stream_threads())
            sum += stream_load<store, T, 1>(work.a, i).lane[0];
        opaque(sum); /* the pass's result is looked at */
        compiler_barrier();
    }
    stream_sum_grid(work, sum);
}

static const stream_kernel<float> kernels_f32[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(float);
static const stream_kernel<double> kernels_f64[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(double);

int stream_cuda_0_scalar(const struct stream_args *args, const struct cuda_grid *grid,
                         int64_t passes, void *stream)
{
    return args->type == STREAM_F32 ? stream_launch(kernels_f32, args, grid, passes, stream)
                                    : stream_launch(kernels_f64, args, grid, passes, stream);
}
