/* The Tensor Cores' instructions beyond those of port.cuh: one function per mma.sync, PTX inside.
 *
 * Fragments are those of PTX ISA, section "Matrix Fragments for mma.m*n*k*"; with g = lane / 4 and
 * t = lane mod 4, and E elements of A and B in one register (1 of f64 or tf32, 2 of 16 bits, 4 of
 * 8):
 *
 *     A, register r    row g + 8 (r mod 2), columns E t + 4 E (r / 2) and the E - 1 after it
 *     B, register r    column g, rows E t + 4 E r and the E - 1 after it
 *     C, D, number i   row g + 8 (i / 2), column 2 t + i mod 2
 *
 * so that all of these multiply 16 rows by 8 columns over a depth of 8 E. With -DRIDGE_EMULATE the
 * same functions are the emulation's.
 */
#pragma once

#include "kernels/cuda/port.cuh"

#ifdef RIDGE_EMULATE
#include "tests/cuda/emulation/mma_emulation.h"
#else

/* What the architecture that is being compiled for has. Not for host code. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool CUDA_HAS_ASYNC_COPIES = false, CUDA_HAS_MMA_BF16 = false, CUDA_HAS_MMA_TF32 = false;
constexpr int CUDA_MOST_SHARED_BYTES = 64 << 10; /* of a block */
#else
constexpr bool CUDA_HAS_ASYNC_COPIES = true, CUDA_HAS_MMA_BF16 = true, CUDA_HAS_MMA_TF32 = true;
constexpr int CUDA_MOST_SHARED_BYTES = 99 << 10; /* the least of 8.0 and above: 8.6, 8.9, 12.0 */
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
constexpr bool CUDA_HAS_MMA_F64 = false; /* it would be taken apart, or run on one slow unit */
#else
constexpr bool CUDA_HAS_MMA_F64 = true;
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 890 && __CUDA_ARCH__ != 1200
constexpr bool CUDA_HAS_MMA_FP8 = false; /* elsewhere the assembler makes f16 steps of it */
#else
constexpr bool CUDA_HAS_MMA_FP8 = true;
#endif

PORT_DEVICE void trap() /* the launch fails, and with it everything after it */
{
    __trap();
}

PORT_DEVICE float f16_to_f32(uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

/* Byte i of the result is the byte of b:a that digit i of the selector names: 0 to 3 of a, 4 to 7
 * of b, from the lowest on. */
PORT_DEVICE uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    return __byte_perm(a, b, selector);
}

/* ---- d += a b, 16 x 8 over a depth of 8, 16 or 32. Without the unit: a trap. */

#define MMA_ABD(instruction, kind)                                                                 \
    asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
                 : "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3])                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/* f32 in memory; the lowest 13 bits of the fraction are not looked at. */
PORT_DEVICE void mma_tf32_m16n8k8(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    MMA_ABD("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f");
#else
    (void)d, (void)a, (void)b;
    trap();
#endif
}

/* Sums in f16: registers 0 and 1 hold numbers 0, 1 and 2, 3 of D. */
PORT_DEVICE void mma_f16_sums_m16n8k16(uint32_t (&d)[2], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else /* 7.5 has half the depth */
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, "
                 "{%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, "
                 "{%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[2]), "r"(a[3]), "r"(b[1]));
#endif
}

#define MMA_INT8_QUARTER(d0, d1, a, b)                                                             \
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"  \
                 : "+r"(d0), "+r"(d1)                                                              \
                 : "r"(a), "r"(b))

/* Signed bytes; sums modulo 2^32. */
PORT_DEVICE void mma_int8_m16n8k32(int32_t (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    MMA_ABD("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r");
#else /* 7.5 has 8 x 8 over 16 */
    MMA_INT8_QUARTER(d[0], d[1], a[0], b[0]);
    MMA_INT8_QUARTER(d[2], d[3], a[1], b[0]);
    MMA_INT8_QUARTER(d[0], d[1], a[2], b[1]);
    MMA_INT8_QUARTER(d[2], d[3], a[3], b[1]);
#endif
}

#define MMA_F64_QUARTER(d0, d1, a, b)                                                              \
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" \
                 : "+d"(d0), "+d"(d1)                                                              \
                 : "d"(a), "d"(b))

/* One instruction on 9.0, four of 8 x 8 over 4 on 8.0 and (made so by the assembler) on 10.0. */
PORT_DEVICE void mma_f64_m16n8k8(double (&d)[4], const double (&a)[4], const double *b)
{
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 800
    MMA_F64_QUARTER(d[0], d[1], a[0], b[0]);
    MMA_F64_QUARTER(d[2], d[3], a[1], b[0]);
    MMA_F64_QUARTER(d[0], d[1], a[2], b[1]);
    MMA_F64_QUARTER(d[2], d[3], a[3], b[1]);
#else
    (void)d, (void)a, (void)b;
    trap();
#endif
}

/* fp8 of either kind, sums in f32; where it is one instruction. */
PORT_DEVICE void mma_e4m3_m16n8k32(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 1200)
    MMA_ABD("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f");
#else
    (void)d, (void)a, (void)b;
    trap();
#endif
}

PORT_DEVICE void mma_e5m2_m16n8k32(float (&d)[4], const uint32_t (&a)[4], const uint32_t *b)
{
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 1200)
    MMA_ABD("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "f");
#else
    (void)d, (void)a, (void)b;
    trap();
#endif
}

#endif
