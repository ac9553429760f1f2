/* Rung 1: 16 bytes per thread and step. Rung 0 spends its instructions on 4 or 8 bytes each; a load
 * of 16 is one instruction, too, and asks for four times as much before the thread waits.
 *
 * Traffic per element as stream.h counts it; elements behind the last whole vector are done one by
 * one.
 * What limits it next: a thread still waits for one load (two where the operation reads two arrays)
 * before it asks for the next, so that bytes in flight hang on how many threads are resident. */
#include "kernels/stream/stream_cuda.cuh"

template <class T>
constexpr int width = 16 / sizeof(T);

template <stream_op op, stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) stream_map(stream_work<T> work)
{
    const int64_t vectors = work.count / width<T>;
    for (int64_t pass = 0; pass < work.passes; pass++) {
        CUDA_NO_UNROLL
        for (int64_t i = stream_thread(); i < vectors; i += stream_threads())
            stream_finish<op, store, T, width<T>>(work, i,
                                                  stream_fetch<op, store, T, width<T>>(work, i));
        const int64_t i = vectors * width<T> + stream_thread();
        if (i < work.count)
            stream_finish<op, store, T, 1>(work, i, stream_fetch<op, store, T, 1>(work, i));
        compiler_barrier();
    }
}

template <stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS) stream_read(stream_work<T> work)
{
    const int64_t vectors = work.count / width<T>;
    T sum = 0;
    for (int64_t pass = 0; pass < work.passes; pass++) {
        T lane_sums[width<T>] = {};
        CUDA_NO_UNROLL
        for (int64_t i = stream_thread(); i < vectors; i += stream_threads()) {
            const auto value = stream_load<store, T, width<T>>(work.a, i);
            CUDA_UNROLL
            for (int k = 0; k < width<T>; k++)
                lane_sums[k] += value.lane[k];
        }
        const int64_t i = vectors * width<T> + stream_thread();
        sum = i < work.count ? stream_load<store, T, 1>(work.a, i).lane[0] : static_cast<T>(0);
        CUDA_UNROLL
        for (int k = 0; k < width<T>; k++)
            sum += lane_sums[k];
        opaque(sum); /* the pass's result is looked at */
        compiler_barrier();
    }
    stream_sum_grid(work, sum);
}

static const stream_kernel<float> kernels_f32[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(float);
static const stream_kernel<double> kernels_f64[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(double);

int stream_cuda_1_vector(const struct stream_args *args, const struct cuda_grid *grid,
                         int64_t passes, void *stream)
{
    return args->type == STREAM_F32 ? stream_launch(kernels_f32, args, grid, passes, stream)
                                    : stream_launch(kernels_f64, args, grid, passes, stream);
}
