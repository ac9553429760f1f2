/* What both rungs of the intensity ladder on a GPU share: the types' multiply-add, where a chunk
 * lies, and the checks and the choice before a launch. */
#pragma once

#include "kernels/cuda/port.cuh"
#include "kernels/intensity/intensity_cuda.h"

/* A type: the register that accumulates (for f16 and bf16 a pair), and its step. */
struct intensity_f32 {
    using reg = float;
    PORT_METHOD reg step(reg acc, reg r, reg v)
    {
        return fmaf(acc, r, v);
    }
};

struct intensity_f64 {
    using reg = double;
    PORT_METHOD reg step(reg acc, reg r, reg v)
    {
        return fma(acc, r, v);
    }
};

struct intensity_f16 {
    using reg = uint32_t;
    PORT_METHOD reg step(reg acc, reg r, reg v)
    {
        return fma_f16x2(acc, r, v);
    }
};

struct intensity_bf16 {
    using reg = uint32_t;
    PORT_METHOD reg step(reg acc, reg r, reg v)
    {
        return fma_bf16x2(acc, r, v);
    }
};

struct intensity_int32 {
    using reg = uint32_t;
    PORT_METHOD reg step(reg acc, reg r, reg v)
    {
        return fma_int32(acc, r, v);
    }
};

/* What a thread takes of a value vector. */
template <class R>
struct alignas(16) intensity_regs {
    R reg[16 / sizeof(R)];
};

template <class R>
struct intensity_work {
    const char *a;
    char *out;
    int64_t blocks, chunk_blocks; /* of a part; of a chunk */
    int64_t first_block; /* of the first unit's chunk: the same in all parts */
    int64_t unit_count, fmas;
    R r, same_r; /* one for even threads, one for odd: see rung 1 */
    /* What the chains begin with: zeros, but the compiler must not know. Otherwise it would see
     * that all chains compute the same, and keep one. */
    R zero[INTENSITY_CUDA_CHAINS];
};

/* The walk of a block of threads over the chunks of its part. */
struct intensity_walk {
    const char *part;
    int64_t blocks, chunk_blocks, first; /* first: the chunk's first block */
};

template <class R>
PORT_DEVICE intensity_walk intensity_begin(const intensity_work<R> &work)
{
    return {work.a + blockIdx.x * work.blocks * INTENSITY_CUDA_BLOCK_BYTES, work.blocks,
            work.chunk_blocks, work.first_block};
}

PORT_DEVICE const char *intensity_chunk_values(const intensity_walk &walk)
{
    return walk.part + walk.first * INTENSITY_CUDA_BLOCK_BYTES;
}

PORT_DEVICE int64_t intensity_chunk_blocks(const intensity_walk &walk)
{
    const int64_t left = walk.blocks - walk.first;
    return left < walk.chunk_blocks ? left : walk.chunk_blocks;
}

PORT_DEVICE void intensity_go_on(intensity_walk &walk)
{
    walk.first += walk.chunk_blocks;
    if (walk.first >= walk.blocks)
        walk.first = 0;
}

/* r as the type's register holds it; false where f16 or bf16 cannot hold it exactly. */
static inline bool intensity_set_r(float &reg, double r, enum intensity_cuda_type)
{
    reg = static_cast<float>(r);
    return true;
}

static inline bool intensity_set_r(double &reg, double r, enum intensity_cuda_type)
{
    reg = r;
    return true;
}

static inline bool intensity_set_r(uint32_t &reg, double r, enum intensity_cuda_type type)
{
    if (type == INTENSITY_CUDA_INT32) {
        reg = static_cast<uint32_t>(static_cast<int64_t>(r));
        return r == static_cast<double>(static_cast<int32_t>(r));
    }
    /* Of f32's bits, f16 keeps 10 of the fraction, with 15 in place of 127 on the exponent, and
     * bf16 the upper half. Normal numbers of f16 only: 2^-14 and above. */
    const bool is_f16 = type == INTENSITY_CUDA_F16;
    const float narrow = static_cast<float>(r);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    const uint32_t dropped = bits & (is_f16 ? 0x1fffu : 0xffffu);
    const uint32_t half =
        is_f16 ? (bits >> 16 & 0x8000u) | (((bits & 0x7fffffffu) >> 13) - ((127 - 15) << 10))
               : bits >> 16;
    reg = half << 16 | half;
    return dropped == 0 && (!is_f16 || (narrow >= 0x1p-14f && narrow < 65536));
}

/* Checks the arguments and says what a kernel takes: 0, or CUDA_INVALID_VALUE. */
template <class R>
static int intensity_prepare(const struct intensity_cuda_args *args, int64_t first_unit,
                             int64_t unit_count, intensity_work<R> &work)
{
    static const int64_t element_bytes[INTENSITY_CUDA_TYPE_COUNT] = {4, 8, 2, 2, 4};
    const struct intensity_args *common = &args->common;
    const int64_t bytes = common->count * element_bytes[args->type], m = common->fmas;
    const bool is_rung = m >= 1 && m <= 4096 && (m & (m - 1)) == 0;
    if (!is_rung || args->parts < 1 || common->chunk_blocks < 1 || first_unit < 0 || unit_count < 1)
        return CUDA_INVALID_VALUE;
    work = {};
    work.a = static_cast<const char *>(common->a);
    work.out = static_cast<char *>(common->out);
    work.blocks = bytes / args->parts / INTENSITY_CUDA_BLOCK_BYTES;
    work.chunk_blocks = common->chunk_blocks;
    work.first_block = 0;
    work.unit_count = unit_count;
    work.fmas = m;
    const bool is_whole =
        work.blocks >= 1 && work.blocks * args->parts * INTENSITY_CUDA_BLOCK_BYTES == bytes;
    const bool is_one_chunk = work.blocks == work.chunk_blocks;
    if (!is_whole || (args->from_shared && !is_one_chunk) ||
        !intensity_set_r(work.r, common->r, args->type))
        return CUDA_INVALID_VALUE;
    const int64_t chunks = (work.blocks + work.chunk_blocks - 1) / work.chunk_blocks;
    work.first_block = first_unit % chunks * work.chunk_blocks;
    work.same_r = work.r;
    return 0;
}
