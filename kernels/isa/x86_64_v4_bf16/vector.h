/* x86-64-v4 with AVX512-BF16: two products of bf16 per 32-bit lane, summed in f32. */
#pragma once

enum {
    VECTOR_BYTES = 64,
    VECTOR_REGISTERS = 32,
    VECTOR_CHAINS = 16, /* as of x86-64-v4: one set has one number of chains */
};

#include "kernels/isa/vector_type.h"

#include <immintrin.h>

/* The same value, of which the compiler no longer knows where it came from. */
KERNEL_INLINE vector vector_opaque(vector value)
{
    __asm__ volatile("" : "+v"(value));
    return value;
}

/* One step of the intensity family: acc + v0 w0 + v1 w1 in each lane. */
KERNEL_INLINE vector vector_step(vector acc, vector weights, vector v)
{
    return (vector)_mm512_dpbf16_ps((__m512)acc, (__m512bh)v, (__m512bh)weights);
}
