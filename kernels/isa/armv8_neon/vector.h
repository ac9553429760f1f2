/* armv8-neon: 32 registers of 16 bytes. */
#pragma once

enum {
    VECTOR_BYTES = 16,
    VECTOR_REGISTERS = 32,
    VECTOR_CHAINS = 16, /* of the intensity family; see intensity.h for the sum */
};

#include "kernels/isa/vector_type.h"

/* The same value, of which the compiler no longer knows where it came from. */
KERNEL_INLINE vector vector_opaque(vector value)
{
    __asm__ volatile("" : "+w"(value));
    return value;
}

/* One step of the intensity family: acc * r + v. NEON's multiply-add overwrites its addend, so
 * each step makes a copy of v, but for the last use of one; it costs nothing only where the core
 * renames such moves away. What the compiler may not do is choose the multiply-add: left to
 * itself, clang 14 makes all copies at once and runs out of registers. */
KERNEL_INLINE vector vector_step(vector acc, vector r, vector v)
{
    vector next = v;
    if (sizeof(element) == sizeof(float))
        __asm__("fmla %0.4s, %1.4s, %2.4s" : "+w"(next) : "w"(acc), "w"(r));
    else
        __asm__("fmla %0.2d, %1.2d, %2.2d" : "+w"(next) : "w"(acc), "w"(r));
    return next;
}

/* A hint that the line will not be read soon; Arm leaves it to the core what to do with it. */
KERNEL_INLINE void vector_store_pair_nontemporal(element *to, vector first, vector second)
{
    __asm__ volatile("stnp %q0, %q1, [%2]" : : "w"(first), "w"(second), "r"(to) : "memory");
}

/* Stores of this thread are ordered before those that follow. */
KERNEL_INLINE void vector_store_fence(void)
{
    __asm__ volatile("dmb ishst" ::: "memory");
}
