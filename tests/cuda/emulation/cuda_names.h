/* The words of CUDA and of port.cuh, as the emulation speaks them. */
#pragma once

#include "tests/cuda/emulation/emulation.h"

#define __global__
#define __device__
#define __host__
#define __constant__    static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
#define PORT_DEVICE static inline
#define PORT_METHOD static inline
#define CUDA_UNROLL
#define CUDA_NO_UNROLL

#define threadIdx (emulation::current->index)
#define blockIdx  emulation::block_index
#define blockDim  emulation::block_shape
#define gridDim   emulation::grid_shape
#define warpSize  32

#define EMULATION_SITE (emulation::Site{__FILE__, __LINE__, __COUNTER__})

enum { CUDA_INVALID_VALUE = 1 };

#define CUDA_LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                            \
    ((void)(stream), emulation::launch(blocks, threads, shared_bytes, [=] { kernel(__VA_ARGS__); }))
#define CUDA_LAUNCH_ERROR() 0
#define CUDA_ALLOW_SHARED(kernel, bytes)                                                           \
    (static_cast<size_t>(bytes) <= emulation::most_shared_bytes ? 0 : 1)
#define CUDA_SHARED(T, name, dimensions)                                                           \
    static const char name##_key = 0;                                                              \
    auto &name = *static_cast<T(*) dimensions>(                                                    \
        emulation::shared_array(&name##_key, sizeof(T dimensions), alignof(T)))
#define CUDA_DYNAMIC_SHARED(T, name) T *const name = static_cast<T *>(emulation::dynamic_shared())

#define __syncthreads() emulation::sync_block(EMULATION_SITE)
#define __syncwarp(...) emulation::sync_warp(emulation::mask_or_all(__VA_ARGS__), EMULATION_SITE)

#define EMULATION_SHUFFLE(operation, mask, value, argument, ...)                                   \
    emulation::shuffle(emulation::WarpOperation::operation, mask, value,                           \
                       static_cast<int>(argument), emulation::width_or_32(__VA_ARGS__),            \
                       EMULATION_SITE)
#define __shfl_sync(mask, value, ...)      EMULATION_SHUFFLE(index, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...)   EMULATION_SHUFFLE(up, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) EMULATION_SHUFFLE(down, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...)  EMULATION_SHUFFLE(exchange, mask, value, __VA_ARGS__)

#define EMULATION_VOTE(operation, mask, predicate)                                                 \
    emulation::exchange(emulation::WarpOperation::operation, mask, !!(predicate), 0, 32,           \
                        EMULATION_SITE)
#define __ballot_sync(mask, predicate)                                                             \
    static_cast<unsigned>(EMULATION_VOTE(ballot, mask, predicate))
#define __any_sync(mask, predicate) static_cast<int>(EMULATION_VOTE(any, mask, predicate))
#define __all_sync(mask, predicate) static_cast<int>(EMULATION_VOTE(all, mask, predicate))

#define load16(from)                 emulation::load_aligned(from, EMULATION_SITE)
#define load16_past_l1(from)         emulation::load_aligned(from, EMULATION_SITE)
#define store16(to, ...)             emulation::store_aligned(to, __VA_ARGS__, EMULATION_SITE)
#define load_streaming(from)         emulation::load_aligned(from, EMULATION_SITE)
#define store_streaming(to, ...)     emulation::store_aligned(to, __VA_ARGS__, EMULATION_SITE)
#define load16_streaming(from)       emulation::load_aligned(from, EMULATION_SITE)
#define store16_streaming(to, ...)   emulation::store_aligned(to, __VA_ARGS__, EMULATION_SITE)
#define shared_load16(from)          emulation::load_counted(from, EMULATION_SITE)
#define shared_store16(to, ...)      emulation::store_counted(to, __VA_ARGS__, EMULATION_SITE)
#define shared_load(from)            emulation::load_counted(from, EMULATION_SITE)
#define shared_store(to, ...)        emulation::store_counted(to, __VA_ARGS__, EMULATION_SITE)
#define cp_async16(to, from, bytes)  emulation::copy_async(to, from, bytes, EMULATION_SITE)
#define ldmatrix_x4(fragment, row)   emulation::load_matrix(fragment, false, row, EMULATION_SITE)
#define ldmatrix_x4_transposed(f, r) emulation::load_matrix(f, true, r, EMULATION_SITE)
#define mma_f16_m16n8k16(d, a, b)                                                                  \
    emulation::multiply_matrix(emulation::Narrow::f16, d, a, b, EMULATION_SITE)
#define mma_bf16_m16n8k16(d, a, b)                                                                 \
    emulation::multiply_matrix(emulation::Narrow::bf16, d, a, b, EMULATION_SITE)

inline void cp_async_commit()
{
    emulation::commit_copies();
}

template <int groups_left>
inline void cp_async_wait()
{
    emulation::wait_copies(groups_left);
}

inline void compiler_barrier()
{
}

template <class T>
inline void opaque(T &)
{
}

template <class T>
inline T load_coherent(const T *from)
{
    T value;
    __atomic_load(from, &value, __ATOMIC_RELAXED);
    return value;
}

inline uint32_t fma_int32(uint32_t a, uint32_t b, uint32_t c)
{
    return a * b + c;
}

inline uint32_t fma_f16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return emulation::fma_pair(emulation::Narrow::f16, a, b, c);
}

inline uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c)
{
    return emulation::fma_pair(emulation::Narrow::bf16, a, b, c);
}

/* A clock of 2 GHz, on the one multiprocessor that there is. */
inline uint64_t clock_cycles()
{
    return 2 * emulation::now_ns();
}

inline uint64_t global_timer_ns()
{
    return emulation::now_ns();
}

inline uint32_t multiprocessor_id()
{
    return 0;
}

template <class T>
inline T atomicAdd(T *at, T value)
{
    return emulation::atomic_update(at, [=](T old) { return static_cast<T>(old + value); });
}

template <class T>
inline T atomicMax(T *at, T value)
{
    return emulation::atomic_update(at, [=](T old) { return old < value ? value : old; });
}

template <class T>
inline T atomicMin(T *at, T value)
{
    return emulation::atomic_update(at, [=](T old) { return value < old ? value : old; });
}

/* Counts up to `last` and then begins again at 0. */
inline unsigned atomicInc(unsigned *at, unsigned last)
{
    return emulation::atomic_update(at, [=](unsigned old) { return old >= last ? 0 : old + 1; });
}

inline void __threadfence()
{
}
inline void __threadfence_system()
{
}
