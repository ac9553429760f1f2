/* x86-64-v3 with AVX-VNNI: four products of int8 per 32-bit lane, summed in int32. */
#pragma once

enum {
    VECTOR_BYTES = 32,
    VECTOR_REGISTERS = 16,
    VECTOR_CHAINS = 12, /* as of x86-64-v3: one set has one number of chains */
};

#include "kernels/isa/vector_type.h"

#include <immintrin.h>

/* The same value, of which the compiler no longer knows where it came from. */
KERNEL_INLINE vector vector_opaque(vector value)
{
    __asm__ volatile("" : "+x"(value));
    return value;
}

/* One step of the intensity family: acc + v0 w0 + ... + v3 w3 in each lane. The instruction takes
 * one factor without sign, the weights, and one with it, the values. */
KERNEL_INLINE vector vector_step(vector acc, vector weights, vector v)
{
    return (vector)_mm256_dpbusd_avx_epi32((__m256i)acc, (__m256i)weights, (__m256i)v);
}
