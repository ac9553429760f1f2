/* What the rungs of the stream ladder on a GPU share: the operations on elements, a block's sum,
 * and the choice of the kernel. How the arrays are walked is each rung's own. */
#pragma once

#include "kernels/cuda/port.cuh"
#include "kernels/stream/stream_cuda.h"

template <class T>
struct stream_work {
    const T *a, *b;
    T *c;
    T scalar;
    int64_t count, passes;
    unsigned *ticket; /* of read: blocks that are done; */
    T *partial;       /* and their sums */
};

/* Consecutive elements that one instruction loads or stores. */
template <class T, int width>
struct alignas(width * sizeof(T)) stream_lanes {
    T lane[width];
};

PORT_DEVICE int64_t stream_thread()
{
    return blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
}

PORT_DEVICE int64_t stream_threads()
{
    return gridDim.x * static_cast<int64_t>(blockDim.x);
}

/* Lanes number i of an array. */
template <stream_store store, class T, int width>
PORT_DEVICE stream_lanes<T, width> stream_load(const T *array, int64_t i)
{
    if constexpr (width > 1) {
        const auto *from = reinterpret_cast<const stream_lanes<T, width> *>(array) + i;
        if constexpr (store == STREAM_NONTEMPORAL)
            return load16_streaming(from);
        else
            return load16(from);
    } else if constexpr (store == STREAM_NONTEMPORAL) {
        return {load_streaming(array + i)};
    } else {
        return {array[i]};
    }
}

template <stream_store store, class T, int width>
PORT_DEVICE void stream_put(T *array, int64_t i, const stream_lanes<T, width> &value)
{
    if constexpr (width > 1) {
        auto *to = reinterpret_cast<stream_lanes<T, width> *>(array) + i;
        if constexpr (store == STREAM_NONTEMPORAL)
            store16_streaming(to, value);
        else
            store16(to, value);
    } else if constexpr (store == STREAM_NONTEMPORAL) {
        store_streaming(array + i, value.lane[0]);
    } else {
        array[i] = value.lane[0];
    }
}

template <stream_op op, class T>
PORT_DEVICE T stream_apply(T a, T b, T s)
{
    switch (op) {
    case STREAM_WRITE: return s;
    case STREAM_SCALE: return s * a;
    case STREAM_ADD: return a + b;
    case STREAM_TRIAD: return a + s * b;
    default: return a;
    }
}

/* The operands of one step: arrays that the operation does not read are not touched. */
template <class T, int width>
struct stream_operands {
    stream_lanes<T, width> a, b;
};

template <stream_op op, stream_store store, class T, int width>
PORT_DEVICE stream_operands<T, width> stream_fetch(const stream_work<T> &work, int64_t i)
{
    stream_operands<T, width> operands = {};
    if constexpr (op != STREAM_WRITE)
        operands.a = stream_load<store, T, width>(work.a, i);
    if constexpr (op == STREAM_ADD || op == STREAM_TRIAD)
        operands.b = stream_load<store, T, width>(work.b, i);
    return operands;
}

template <stream_op op, stream_store store, class T, int width>
PORT_DEVICE void stream_finish(const stream_work<T> &work, int64_t i,
                               const stream_operands<T, width> &operands)
{
    stream_lanes<T, width> result;
    CUDA_UNROLL
    for (int k = 0; k < width; k++)
        result.lane[k] = stream_apply<op, T>(operands.a.lane[k], operands.b.lane[k], work.scalar);
    stream_put<store, T, width>(work.c, i, result);
}

template <class T>
PORT_DEVICE T stream_sum_warp(T sum)
{
    CUDA_UNROLL
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
}

/* The sum over the block, in its first warp. */
template <class T>
PORT_DEVICE T stream_sum_block(T sum, T *warp_sums)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum = stream_sum_warp(sum);
    if (lane == 0)
        shared_store(&warp_sums[warp], sum);
    __syncthreads();
    if (warp == 0)
        sum = stream_sum_warp(lane < CUDA_BLOCK_THREADS / 32 ? shared_load(&warp_sums[lane])
                                                             : static_cast<T>(0));
    return sum;
}

/* All threads' sums into c[0]: each block leaves its own, and the last one that does adds them up,
 * in the order of the blocks, so that every run rounds alike. */
template <class T>
PORT_DEVICE void stream_sum_grid(const stream_work<T> &work, T sum)
{
    CUDA_SHARED(T, warp_sums, [CUDA_BLOCK_THREADS / 32]);
    CUDA_SHARED(unsigned, is_last, [1]);
    sum = stream_sum_block(sum, &warp_sums[0]);
    if (threadIdx.x == 0) {
        work.partial[blockIdx.x] = sum;
        __threadfence(); /* the sum is there before the ticket says so */
        is_last[0] = atomicInc(work.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last[0])
        return;
    __threadfence();
    sum = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
        sum += load_coherent(&work.partial[block]);
    sum = stream_sum_block(sum, &warp_sums[0]);
    if (threadIdx.x == 0)
        work.c[0] = sum;
}

template <class T>
using stream_kernel = void (*)(stream_work<T>);

/* A rung defines the kernels stream_map<op, store, T> and stream_read<store, T>. */
#define STREAM_CUDA_ROW(op, T)                                                                     \
    {                                                                                              \
        stream_map<op, STREAM_PLAIN, T>, stream_map<op, STREAM_NONTEMPORAL, T>                     \
    }
#define STREAM_CUDA_TABLE(T)                                                                       \
    {                                                                                              \
        {stream_read<STREAM_PLAIN, T>, stream_read<STREAM_NONTEMPORAL, T>},                        \
            STREAM_CUDA_ROW(STREAM_WRITE, T), STREAM_CUDA_ROW(STREAM_COPY, T),                     \
            STREAM_CUDA_ROW(STREAM_SCALE, T), STREAM_CUDA_ROW(STREAM_ADD, T),                      \
            STREAM_CUDA_ROW(STREAM_TRIAD, T),                                                      \
    }

template <class T>
static int stream_launch(const stream_kernel<T> (&table)[STREAM_OP_COUNT][STREAM_STORE_COUNT],
                         const struct stream_args *args, const struct cuda_grid *grid,
                         int64_t passes, void *stream)
{
    const int64_t blocks =
        static_cast<int64_t>(grid->multiprocessors) * grid->blocks_per_multiprocessor;
    char *scratch = static_cast<char *>(grid->scratch);
    if (blocks < 1 || blocks > CUDA_MOST_BLOCKS || args->count < 1 || passes < 1)
        return CUDA_INVALID_VALUE;
    const stream_work<T> work = {static_cast<const T *>(args->a),
                                 static_cast<const T *>(args->b),
                                 static_cast<T *>(args->c),
                                 static_cast<T>(args->scalar),
                                 args->count,
                                 passes,
                                 reinterpret_cast<unsigned *>(scratch),
                                 reinterpret_cast<T *>(scratch + CUDA_SCRATCH_TICKET_BYTES)};
    const stream_kernel<T> kernel = table[args->op][args->store];
    CUDA_LAUNCH(kernel, static_cast<unsigned>(blocks), CUDA_BLOCK_THREADS, 0, stream, work);
    return CUDA_LAUNCH_ERROR();
}
