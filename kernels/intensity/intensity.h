/* The intensity ladder: read an array once, and do m fused multiply-adds per value read.
 *
 *     acc <- acc * r + v        2 operations; r = 1 - 2^-20, chosen at run time
 *
 * The intensity is 2 m operations per element: m/2 per byte in f32, m/4 in f64. m = 1 is the
 * least intensity at which every loaded value is used by such an instruction.
 *
 * Chains. The accumulators of a thread are `intensity_chains` vectors: enough that the FMA units
 * and not their latency limit (two units x latency 4 or 5 = 8 to 10; 12 with 16 registers, 16
 * with 32). They come in groups of four. For m >= 4 (a multiple of 4), the value vector number w
 * is added m/4 times to whole groups in turn: group step k = 0 .. m/4-1 goes to group
 * (w * (m/4) + k) mod groups. For m = 1 and 2, value vector w is added to the chains
 * (w * m + k) mod chains, k = 0 .. m-1. Both are one rule: the chain is (w m + k) mod chains.
 *
 * Nothing can be removed: r is not a constant, every accumulator is stored at the end of a unit,
 * and memory is declared changed between units.
 *
 * A unit (kernel.h) is one chunk of every thread's part: a thread's part of `count` elements
 * (team_part_begin, granule = one block) is cut into chunks of intensity_chunk_blocks blocks; unit
 * u is chunk u mod chunks; the last one is shorter where the blocks do not divide. A block is
 * `chains` value vectors. Accumulators start at zero in each unit and are stored at its end to
 * out[thread].
 */
#pragma once

#include "harness/measure/kernel.h"

#include <stdint.h>

enum intensity_type { INTENSITY_F32, INTENSITY_F64, INTENSITY_TYPE_COUNT };

enum {
    INTENSITY_MAX_CHAINS = 16,
    INTENSITY_MAX_VECTOR_BYTES = 64,
    INTENSITY_OUT_BYTES = INTENSITY_MAX_CHAINS * INTENSITY_MAX_VECTOR_BYTES, /* per thread */
};

struct intensity_args {
    enum intensity_type type;
    int64_t fmas;         /* m: one of intensity_fmas */
    int64_t count;        /* elements; a multiple of intensity_block(type) x threads */
    int64_t chunk_blocks; /* blocks per chunk, >= 1 */
    double r;
    const void *a; /* count elements */
    void *out;     /* INTENSITY_OUT_BYTES per thread: chain-major, then lane */
};

C_API_BEGIN

/* 1, 2, 4, 8, ... 4096, then 0. */
extern const int64_t intensity_fmas[];

/* Of the instruction set in use (kernels_cpu_isa): chains per thread, lanes per vector, and
 * elements per block = chains x lanes. */
int intensity_chains(void);
int intensity_lanes(enum intensity_type type);
int64_t intensity_block(enum intensity_type type);

/* What out must hold after unit `unit` of a thread whose part is elements begin .. begin+n-1:
 * computed in double, in closed form (k steps on one value: acc r^k + v (1-r^k)/(1-r)), from the
 * values that `value(state, index)` gives. expected: chains x lanes doubles; scale: the largest
 * |acc| met on the way, which the tolerance is relative to. */
void intensity_expect(const struct intensity_args *args, int64_t begin, int64_t n, int64_t unit,
                      void (*values)(const void *state, int64_t first, int64_t count, double *out),
                      const void *state, double *expected, double *scale);

extern const struct kernel intensity_cpu_reference; /* the same sums, scalar, one thread each */
extern const struct kernel intensity_cpu_vector;

C_API_END
