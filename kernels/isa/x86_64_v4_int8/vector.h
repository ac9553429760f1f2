/* x86-64-v4 with AVX512-VNNI: four products of int8 per 32-bit lane, summed in int32. */
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

/* One step of the intensity family: acc + v0 w0 + ... + v3 w3 in each lane. The instruction takes
 * one factor without sign, the weights, and one with it, the values. */
KERNEL_INLINE vector vector_step(vector acc, vector weights, vector v)
{
    return (vector)_mm512_dpbusd_epi32((__m512i)acc, (__m512i)weights, (__m512i)v);
}
