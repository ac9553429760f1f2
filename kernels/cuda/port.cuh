/* The only header of CUDA that a kernel file includes, and the only place with PTX in it.
 *
 * nvcc maps these names to CUDA and inline PTX. With -DRIDGE_EMULATE, a host compiler maps them to
 * the emulation of the tests, which runs the same kernel source thread by thread on a CPU. What is
 * not here is plain CUDA C++ that both understand: threadIdx, blockIdx, blockDim, gridDim,
 * __syncthreads, __syncwarp, the shuffles and votes with _sync, atomicAdd and its relatives,
 * __threadfence, fma and fmaf.
 *
 * Shared memory that is worth a bank's attention goes through shared_load and shared_store: plain
 * accesses on the GPU, counted ones in the emulation.
 */
#pragma once

#ifdef RIDGE_EMULATE
#include "tests/cuda/emulation/emulation.h"
#else

#include <cuda_runtime.h>

#include <stdint.h>
#include <string.h>

#define PORT_DEVICE    static __device__ __forceinline__ /* a function */
#define PORT_METHOD    static __device__ __forceinline__ /* one of a struct */

/* Before a loop: all of its rounds are written out, or none. */
#define CUDA_UNROLL    _Pragma("unroll")
#define CUDA_NO_UNROLL _Pragma("unroll 1")

/* What a launch function answers to arguments that break its rules. */
enum { CUDA_INVALID_VALUE = cudaErrorInvalidValue };

/* CUDA_LAUNCH((kernel<1, 2>), blocks, threads, shared_bytes, stream, arguments...). */
#define CUDA_LAUNCH(kernel, blocks, threads, shared_bytes, stream, ...)                            \
    kernel<<<blocks, threads, shared_bytes, static_cast<cudaStream_t>(stream)>>>(__VA_ARGS__)
/* Of the last launch: a cudaError_t as int. */
#define CUDA_LAUNCH_ERROR() static_cast<int>(cudaGetLastError())
/* Before a launch with more than 48 KiB of dynamic shared memory: a cudaError_t as int. */
#define CUDA_ALLOW_SHARED(kernel, bytes)                                                           \
    static_cast<int>(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,     \
                                          static_cast<int>(bytes)))

/* CUDA_SHARED(float, tile, [16][17]); an array of the thread block. */
#define CUDA_SHARED(T, name, dimensions) __shared__ T name dimensions
/* The bytes that the launch asked for, as T *name, aligned to 16 bytes. One per kernel file. */
#define CUDA_DYNAMIC_SHARED(T, name)                                                               \
    extern __shared__ __align__(16) unsigned char port_dynamic_shared[];                           \
    T *const name = reinterpret_cast<T *>(port_dynamic_shared)

/* No value in memory is known beyond this point: loads are done again, stores are done. */
PORT_DEVICE void compiler_barrier()
{
    asm volatile("" ::: "memory");
}

/* What the compiler knows of a value is forgotten: it must be computed, and cannot be foreseen. */
PORT_DEVICE void opaque(float &value)
{
    asm volatile("" : "+f"(value));
}

PORT_DEVICE void opaque(double &value)
{
    asm volatile("" : "+d"(value));
}

PORT_DEVICE void opaque(uint32_t &value)
{
    asm volatile("" : "+r"(value));
}

/* ---- 16 bytes of global memory at once: a trivially copyable type V of 16 bytes, at an address
 * that is a multiple of 16. */

/* By instructions of their own: left to the compiler, a copy of a struct may lose its alignment and
 * become 16 loads of one byte. */
#define PORT_LOAD16(instruction, address)                                                          \
    static_assert(sizeof(V) == 16, "moves 16 bytes");                                              \
    uint4 bits;                                                                                    \
    V value;                                                                                       \
    asm volatile(instruction " {%0, %1, %2, %3}, [%4];"                                            \
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)                          \
                 : address                                                                         \
                 : "memory");                                                                      \
    __builtin_memcpy(&value, &bits, 16);                                                           \
    return value
#define PORT_STORE16(instruction, address)                                                         \
    static_assert(sizeof(V) == 16, "moves 16 bytes");                                              \
    uint4 bits;                                                                                    \
    __builtin_memcpy(&bits, &value, 16);                                                           \
    asm volatile(instruction " [%0], {%1, %2, %3, %4};"                                            \
                 :                                                                                 \
                 : address, "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)                     \
                 : "memory")

template <class V>
PORT_DEVICE V load16(const V *from)
{
    PORT_LOAD16("ld.global.v4.u32", "l"(from));
}

template <class V>
PORT_DEVICE void store16(V *to, const V &value)
{
    PORT_STORE16("st.global.v4.u32", "l"(to));
}

/* Global memory from the L2, without a look at the L1. */
template <class V>
PORT_DEVICE V load16_past_l1(const V *from)
{
    PORT_LOAD16("ld.global.cg.v4.u32", "l"(from));
}

/* Streaming: global memory whose lines the caches may evict first. */
template <class V>
PORT_DEVICE V load16_streaming(const V *from)
{
    PORT_LOAD16("ld.global.cs.v4.u32", "l"(from));
}

template <class V>
PORT_DEVICE void store16_streaming(V *to, const V &value)
{
    PORT_STORE16("st.global.cs.v4.u32", "l"(to));
}

template <class T>
PORT_DEVICE T load_streaming(const T *from) /* a number */
{
    return __ldcs(from);
}

template <class T>
PORT_DEVICE void store_streaming(T *to, T value)
{
    __stcs(to, value);
}

/* What another block wrote before it said so by an atomic: past the L1, which is not coherent. */
template <class T>
PORT_DEVICE T load_coherent(const T *from)
{
    return __ldcg(from);
}

/* ---- Shared memory */

PORT_DEVICE uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

template <class T>
PORT_DEVICE T shared_load(const T *from)
{
    return *from;
}

template <class T>
PORT_DEVICE void shared_store(T *to, T value)
{
    *to = value;
}

template <class V>
PORT_DEVICE V shared_load16(const V *from)
{
    PORT_LOAD16("ld.shared.v4.u32", "r"(shared_address(from)));
}

template <class V>
PORT_DEVICE void shared_store16(V *to, const V &value)
{
    PORT_STORE16("st.shared.v4.u32", "r"(shared_address(to)));
}

/* Copies 16 bytes from global to shared memory behind the thread's back; from compute capability
 * 8.0 on. Below that it copies at once. bytes: 16, or 0 to fill with zeros without reading. */
PORT_DEVICE void cp_async16(void *to, const void *from, int bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#else
    *static_cast<uint4 *>(to) = bytes ? *static_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
#endif
}

/* The copies since the last call become a group; cp_async_wait<n>() returns when all but the
 * youngest n groups of this thread have arrived, which then this thread alone may read. */
PORT_DEVICE void cp_async_commit()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int groups_left>
PORT_DEVICE void cp_async_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups_left) : "memory");
#endif
}

/* ---- Matrices of a warp: fragments as PTX names their places. Each lane of the warp gives the
 * address of one row of 16 bytes in shared memory: lanes 8i .. 8i+7 those of matrix i. */

PORT_DEVICE void ldmatrix_x4(uint32_t (&fragment)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared_address(row))
                 : "memory");
}

PORT_DEVICE void ldmatrix_x4_transposed(uint32_t (&fragment)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* d += a b of 16 x 16 by 16 x 8, f16 in, f32 out. */
PORT_DEVICE void mma_f16_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else /* 7.5 has half the depth: two steps */
    for (int half = 0; half < 2; half++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}

/* The same in bf16; from compute capability 8.0 on, nothing below. */
PORT_DEVICE void mma_bf16_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    (void)d, (void)a, (void)b;
    __trap();
#endif
}

/* ---- a b + c in one instruction that no compiler takes apart */

PORT_DEVICE uint32_t fma_int32(uint32_t a, uint32_t b, uint32_t c) /* modulo 2^32 */
{
    uint32_t d;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

PORT_DEVICE uint32_t fma_f16x2(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

PORT_DEVICE uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
#else /* 7.5 has none */
    (void)a, (void)b, (void)c;
    __trap();
#endif
    return d;
}

/* ---- Clocks */

PORT_DEVICE uint64_t clock_cycles() /* of this multiprocessor */
{
    return static_cast<uint64_t>(clock64());
}

PORT_DEVICE uint64_t global_timer_ns() /* of the device, in steps of 32 ns to 1 us */
{
    uint64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    return nanoseconds;
}

PORT_DEVICE uint32_t multiprocessor_id()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

#endif
