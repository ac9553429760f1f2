/* One source, many objects: each is compiled for an instruction set and an element type, and
 * CMake names the pair in KERNEL_SUFFIX ("x86_64_v4_f32"). KERNEL_SYMBOL(stream_loops) is then
 * stream_loops_x86_64_v4_f32, so that all of them link into one program. */
#pragma once

#define KERNEL_PASTE(name, suffix)  name##_##suffix
#define KERNEL_EXPAND(name, suffix) KERNEL_PASTE(name, suffix)
#define KERNEL_SYMBOL(name)         KERNEL_EXPAND(name, KERNEL_SUFFIX)

/* For functions that become many, each with other constants: a loop that asks at run time what
 * it computes is not the loop that should be timed. */
#define KERNEL_INLINE static inline __attribute__((always_inline))

/* Memory is declared changed: nothing is carried over this point in registers, moved across it,
 * or removed because it would be done again behind it. */
#define KERNEL_BARRIER() __asm__ volatile("" ::: "memory")
