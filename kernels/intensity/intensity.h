/* The intensity ladder: read an array once, and do m fused multiply-adds per value read.
 *
 *     acc <- acc * r + v        2 operations; r = 1 - 2^-20, chosen at run time
 *
 * The intensity is 2 m operations per element: m/2 per byte in f32, m/4 in f64. m = 1 is the
 * least intensity at which every loaded value is used by such an instruction.
 *
 * Dot instructions multiply narrow values and sum the products in a wider lane: two of bf16 in f32,
 * four of int8 in int32. There, a step is
 *
 *     acc <- acc + v0 w0 + v1 w1 (+ v2 w2 + v3 w3)        2 operations per value
 *
 * with weights w, small whole numbers read at run time, one per place in the lane. m dot
 * instructions take each value vector, so it is m multiply-adds per value as above: m operations
 * per byte in bf16, 2 m in int8. The values are whole numbers, too, so small that every sum is
 * exact: |v| <= 16 and |w0| + |w1| = 3 in bf16, so that m x chunk_blocks <= 2^18 keeps sums below
 * 2^24; |v| <= 128 and a sum of weights of 10 in int8, so that 2^20 keeps them below 2^31.
 *
 * Chains. The accumulators of a thread are `intensity_chains` vectors: enough that the FMA units
 * and not their latency limit (two units x latency 4 or 5 = 8 to 10; 12 with 16 registers, 16
 * with 32). They come in groups of four. For m >= 4 (a multiple of 4), the value vector number w
 * is added m/4 times to whole groups in turn: group step k = 0 .. m/4-1 goes to group
 * (w * (m/4) + k) mod groups. For m = 1 and 2, value vector w is added to the chains
 * (w * m + k) mod chains, k = 0 .. m-1. Both are one rule: the chain is (w m + k) mod chains.
 *
 * Nothing can be removed: r and w are no constants, every accumulator is stored at the end of a
 * unit, and memory is declared changed between units.
 *
 * GPUs multiply and sum in the type itself: f32 and f64 as above, f16 and bf16 two per instruction
 * with r = 1/2 (which forgets, so that sums stay below 2 |v|), int32 modulo 2^32 with r = 3. Where
 * this says thread, read block of threads: see intensity_cuda.h for its vectors.
 *
 * A unit (kernel.h) is one chunk of every thread's part: a thread's part of `count` elements
 * (team_part_begin, granule = one block) is cut into chunks of intensity_chunk_blocks blocks; unit
 * u is chunk u mod chunks; the last one is shorter where the blocks do not divide. A block is
 * `chains` value vectors. Accumulators start at zero in each unit and are stored at its end to
 * out[thread].
 */
#pragma once

#include "harness/measure/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* Multiply-adds of one value with itself's type; then dot instructions; then what GPUs alone have,
 * which the tables of the CPU's kernels do without. */
enum intensity_type {
    INTENSITY_F32,
    INTENSITY_F64,
    INTENSITY_FMA_TYPE_COUNT,
    INTENSITY_BF16 = INTENSITY_FMA_TYPE_COUNT,
    INTENSITY_INT8,
    INTENSITY_TYPE_COUNT,
    INTENSITY_F16X2 = INTENSITY_TYPE_COUNT,
    INTENSITY_BF16X2,
    INTENSITY_INT32,
    INTENSITY_ALL_TYPE_COUNT
};

enum {
    INTENSITY_MAX_CHAINS = 16,
    INTENSITY_MAX_VECTOR_BYTES = 64,
    INTENSITY_OUT_BYTES = INTENSITY_MAX_CHAINS * INTENSITY_MAX_VECTOR_BYTES, /* per thread */
};

/* What a thread, or a block of a GPU's threads, holds and is fed. */
struct intensity_shape {
    int chains, lanes; /* accumulators = chains x lanes */
    int products;      /* values that a lane takes at once: 1 but for dot instructions */
    int64_t out_bytes; /* what it stores its accumulators to: at least their size */
};

struct intensity_args {
    enum intensity_type type;
    int64_t fmas;         /* m: one of intensity_fmas */
    int64_t count;        /* elements; a multiple of intensity_block(type) x threads */
    int64_t chunk_blocks; /* blocks per chunk, >= 1 */
    double r;             /* not used by dot instructions */
    const void *a;        /* count elements */
    void *out;            /* shape.out_bytes per thread: chain-major, then lane */

    /* For intensity_expect and GPUs: by intensity_place.h. */
    struct intensity_shape shape; /* zeros: that of the CPU's kernels in use */
    int64_t parts;                /* threads, or blocks of a GPU's threads */
    bool from_shared;             /* the values lie in the shared memory of a GPU */
    bool past_l1;                 /* loads of a GPU pass its L1 by */
};

C_API_BEGIN

/* 1, 2, 4, 8, ... 4096, then 0. */
extern const int64_t intensity_fmas[];

/* What is multiplied, and what it is summed in, by type: "bf16" and "f32"; NULL ends both. */
extern const char *const intensity_type_names[], *const intensity_sum_names[];

/* STATUS_SKIP, and what is missing, where the processor or the instruction set in use has no such
 * dot instruction. Nothing below may be asked of such a type. */
enum status intensity_supports(enum intensity_type type);

/* Of the instruction set in use (kernels_cpu_isa): chains per thread, lanes of accumulators per
 * vector, accumulators = chains x lanes, and elements per block = accumulators x products. */
int intensity_chains(void);
int intensity_lanes(enum intensity_type type);
int64_t intensity_sums(enum intensity_type type);
int64_t intensity_block(enum intensity_type type);

/* All of these at once, for any type, of the CPU's kernels in use or of a GPU's. */
void intensity_shape_of(bool is_gpu, enum intensity_type type, struct intensity_shape *shape);

/* Products per lane (1 but for dot instructions), and the weight of each: w, or 1. */
int intensity_products(enum intensity_type type);
double intensity_weight(enum intensity_type type, int place);

/* The value that the arrays of a type hold for a number in [-1, 1): itself, or for a dot
 * instruction one of the whole numbers that keep its sums exact. */
double intensity_value(enum intensity_type type, double number);

int64_t intensity_element_bytes(enum intensity_type type);

/* r: 1 - 2^-20, or what keeps the sums of a narrow type small. */
double intensity_ratio(enum intensity_type type);

/* What out must hold after unit `unit` of a thread whose part is elements begin .. begin+n-1:
 * computed in double, in closed form (k steps on one value: acc r^k + v (1-r^k)/(1-r), and r = 1
 * with v the sum of products for a dot instruction), from the values that `value(state, index)`
 * gives. expected: chains x lanes doubles; scale: the largest |acc| met on the way, which the
 * tolerance is relative to (0 for whole numbers: their sums are exact). */
void intensity_expect(const struct intensity_args *args, int64_t begin, int64_t n, int64_t unit,
                      void (*values)(const void *state, int64_t first, int64_t count, double *out),
                      const void *state, double *expected, double *scale);

extern const struct kernel intensity_cpu_reference; /* the same sums, scalar, one thread each */
extern const struct kernel intensity_cpu_vector;

C_API_END
