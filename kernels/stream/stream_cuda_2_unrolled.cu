/* Rung 2: four loads of 16 bytes on the way before the first is used. Rung 1 has one per array and
 * thread, so that a thread that waits for memory asks for nothing more.
 *
 * Traffic per element as stream.h counts it. A block takes a tile of 4 x 256 vectors (16 KiB), row
 * by row, so that every instruction of a warp still covers 512 contiguous bytes; what is behind the
 * last whole tile goes vector by vector, then element by element.
 * In flight: 4 x 16 bytes x 1024 threads = 64 KiB per multiprocessor and array, where HBM at
 * 25 GB/s per multiprocessor and 600 ns needs 15 KiB: half the threads suffice.
 * What limits it next: the memory. */
#include "kernels/stream/stream_cuda.cuh"

/* In vectors; the distance of a thread's loads is a constant, so that they share one address. */
enum { UNROLL = 4, TILE = UNROLL * CUDA_BLOCK_THREADS };

/* 8 x 16 bytes of two arrays are 32 registers: with up to 64 in all, four blocks are resident. */
enum { RESIDENT_BLOCKS = 4 };

template <class T>
constexpr int width = 16 / sizeof(T);

/* Vectors in whole tiles. */
PORT_DEVICE int64_t count_tiled(int64_t vectors)
{
    return vectors / TILE * TILE;
}

template <stream_op op, stream_store store, class T>
PORT_DEVICE void map_tile(const stream_work<T> &work, int64_t first)
{
    stream_operands<T, width<T>> operands[UNROLL];
    CUDA_UNROLL
    for (int k = 0; k < UNROLL; k++)
        operands[k] = stream_fetch<op, store, T, width<T>>(work, first + k * CUDA_BLOCK_THREADS);
    CUDA_UNROLL
    for (int k = 0; k < UNROLL; k++)
        stream_finish<op, store, T, width<T>>(work, first + k * CUDA_BLOCK_THREADS, operands[k]);
}

template <stream_op op, stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS, RESIDENT_BLOCKS)
    stream_map(stream_work<T> work)
{
    const int64_t vectors = work.count / width<T>, tiled = count_tiled(vectors);
    const int64_t first = blockIdx.x * static_cast<int64_t>(TILE) + threadIdx.x;
    for (int64_t pass = 0; pass < work.passes; pass++) {
        CUDA_NO_UNROLL
        for (int64_t i = first; i < tiled; i += UNROLL * stream_threads())
            map_tile<op, store, T>(work, i);
        CUDA_NO_UNROLL
        for (int64_t i = tiled + stream_thread(); i < vectors; i += stream_threads())
            stream_finish<op, store, T, width<T>>(work, i,
                                                  stream_fetch<op, store, T, width<T>>(work, i));
        const int64_t i = vectors * width<T> + stream_thread();
        if (i < work.count)
            stream_finish<op, store, T, 1>(work, i, stream_fetch<op, store, T, 1>(work, i));
        compiler_barrier();
    }
}

/* Four vectors into as many vectors of sums: the additions do not wait for one another. */
template <stream_store store, class T>
PORT_DEVICE void sum_tile(const stream_work<T> &work, int64_t first,
                          stream_lanes<T, width<T>> (&sums)[UNROLL])
{
    stream_lanes<T, width<T>> values[UNROLL];
    CUDA_UNROLL
    for (int k = 0; k < UNROLL; k++)
        values[k] = stream_load<store, T, width<T>>(work.a, first + k * CUDA_BLOCK_THREADS);
    CUDA_UNROLL
    for (int k = 0; k < UNROLL; k++)
        for (int lane = 0; lane < width<T>; lane++)
            sums[k].lane[lane] += values[k].lane[lane];
}

template <stream_store store, class T>
PORT_DEVICE T sum_pass(const stream_work<T> &work)
{
    const int64_t vectors = work.count / width<T>, tiled = count_tiled(vectors);
    const int64_t first = blockIdx.x * static_cast<int64_t>(TILE) + threadIdx.x;
    stream_lanes<T, width<T>> sums[UNROLL] = {};
    CUDA_NO_UNROLL
    for (int64_t i = first; i < tiled; i += UNROLL * stream_threads())
        sum_tile<store, T>(work, i, sums);
    T sum = 0;
    CUDA_UNROLL
    for (int k = 0; k < UNROLL; k++)
        for (int lane = 0; lane < width<T>; lane++)
            sum += sums[k].lane[lane];
    CUDA_NO_UNROLL
    for (int64_t i = tiled * width<T> + stream_thread(); i < work.count; i += stream_threads())
        sum += stream_load<store, T, 1>(work.a, i).lane[0];
    return sum;
}

template <stream_store store, class T>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS, RESIDENT_BLOCKS)
    stream_read(stream_work<T> work)
{
    T sum = 0;
    for (int64_t pass = 0; pass < work.passes; pass++) {
        sum = sum_pass<store, T>(work);
        opaque(sum); /* the pass's result is looked at */
        compiler_barrier();
    }
    stream_sum_grid(work, sum);
}

static const stream_kernel<float> kernels_f32[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(float);
static const stream_kernel<double> kernels_f64[][STREAM_STORE_COUNT] = STREAM_CUDA_TABLE(double);

int stream_cuda_2_unrolled(const struct stream_args *args, const struct cuda_grid *grid,
                           int64_t passes, void *stream)
{
    struct cuda_grid narrow = *grid;
    if (narrow.blocks_per_multiprocessor > RESIDENT_BLOCKS)
        narrow.blocks_per_multiprocessor = RESIDENT_BLOCKS;
    return args->type == STREAM_F32 ? stream_launch(kernels_f32, args, &narrow, passes, stream)
                                    : stream_launch(kernels_f64, args, &narrow, passes, stream);
}
