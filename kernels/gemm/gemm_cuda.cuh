/* What the rungs of the gemm ladder on a GPU share: types, 16 bytes of a row that may end within
 * them, which part of C a block computes, and the checks before a launch. */
#pragma once

#include "kernels/cuda/mma.cuh"
#include "kernels/gemm/gemm_cuda.h"

/* A type by its element in A and B, its sum, and an element as a number of the sum's type. */
struct gemm_half {
    uint16_t bits;
};

struct gemm_type_f32 {
    using element = float;
    using sum = float;
    PORT_METHOD sum number(element x)
    {
        return x;
    }
};

struct gemm_type_f64 {
    using element = double;
    using sum = double;
    PORT_METHOD sum number(element x)
    {
        return x;
    }
};

struct gemm_type_f16 {
    using element = gemm_half;
    using sum = float;
    PORT_METHOD sum number(element x)
    {
        return f16_to_f32(x.bits);
    }
};

struct gemm_type_bf16 { /* the upper half of an f32 */
    using element = gemm_half;
    using sum = float;
    PORT_METHOD sum number(element x)
    {
        const uint32_t bits = static_cast<uint32_t>(x.bits) << 16;
        float value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
};

struct gemm_type_int8 {
    using element = int8_t;
    using sum = uint32_t; /* an int32 modulo 2^32 */
    PORT_METHOD sum number(element x)
    {
        return static_cast<uint32_t>(static_cast<int32_t>(x));
    }
};

/* What a rung of the plain cores does for the type of the arguments: launch is called with a value of
 * one of the types above. */
template <class Launch>
static int gemm_for_type(enum gemm_type type, Launch launch)
{
    switch (static_cast<int>(type)) {
    case GEMM_F32: return launch(gemm_type_f32());
    case GEMM_F64: return launch(gemm_type_f64());
    case GEMM_F16: return launch(gemm_type_f16());
    case GEMM_BF16: return launch(gemm_type_bf16());
    case GEMM_INT8: return launch(gemm_type_int8());
    default: return CUDA_INVALID_VALUE;
    }
}

PORT_DEVICE float gemm_multiply_add(float a, float b, float sum)
{
    return fmaf(a, b, sum);
}

PORT_DEVICE double gemm_multiply_add(double a, double b, double sum)
{
    return fma(a, b, sum);
}

PORT_DEVICE uint32_t gemm_multiply_add(uint32_t a, uint32_t b, uint32_t sum)
{
    return a * b + sum;
}

/* 16 bytes of a row. */
template <class E>
struct alignas(16) gemm_chunk {
    E at[16 / sizeof(E)];
};

/* The first `left` elements at `from` (none if it is not positive), and zeros for the others. Where
 * rows begin at multiples of 16 bytes, a chunk lies inside its row or outside. */
template <bool is_aligned, class E>
PORT_DEVICE gemm_chunk<E> gemm_load_chunk(const E *from, int64_t left)
{
    gemm_chunk<E> chunk = {};
    if constexpr (is_aligned) {
        if (left > 0)
            chunk = load16(reinterpret_cast<const gemm_chunk<E> *>(from));
    } else {
        CUDA_UNROLL
        for (int i = 0; i < static_cast<int>(16 / sizeof(E)); i++)
            if (i < left)
                chunk.at[i] = from[i];
    }
    return chunk;
}

template <class S>
PORT_DEVICE void gemm_store_chunk(S *to, const gemm_chunk<S> &chunk, int64_t left, bool is_aligned)
{
    constexpr int count = 16 / sizeof(S);
    if (is_aligned) {
        if (left > 0)
            store16(reinterpret_cast<gemm_chunk<S> *>(to), chunk);
        return;
    }
    CUDA_UNROLL
    for (int i = 0; i < count; i++)
        if (i < left)
            to[i] = chunk.at[i];
}

struct gemm_work {
    const void *a, *b;
    void *c;
    int64_t m, n, k, batch;
    unsigned tile_rows, tile_columns; /* of one matrix C; rungs with tiles */
};

/* Rows of tiles that are walked together, down before across: the blocks that run at the same time
 * then share rows of A and columns of B in the L2, instead of all columns of B. */
constexpr unsigned GEMM_TILE_ROWS_TOGETHER = 8;

/* A block's part of C: its matrix in the batch, its first row and column. */
struct gemm_place {
    int64_t matrix, row, column;
};

PORT_DEVICE gemm_place gemm_find_place(const gemm_work &work, int tile_m, int tile_n)
{
    const unsigned tiles = work.tile_rows * work.tile_columns, tile = blockIdx.x % tiles;
    const unsigned together = GEMM_TILE_ROWS_TOGETHER * work.tile_columns;
    const unsigned first_row = tile / together * GEMM_TILE_ROWS_TOGETHER;
    const unsigned rows_left = work.tile_rows - first_row;
    const unsigned rows = rows_left < GEMM_TILE_ROWS_TOGETHER ? rows_left : GEMM_TILE_ROWS_TOGETHER;
    const unsigned row = first_row + tile % together % rows, column = tile % together / rows;
    return {blockIdx.x / tiles, row * static_cast<int64_t>(tile_m),
            column * static_cast<int64_t>(tile_n)};
}

static inline int64_t gemm_divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static inline gemm_work gemm_describe_work(const struct gemm_args *args)
{
    return {args->a, args->b, args->c, args->m, args->n, args->k, args->batch, 0, 0};
}

enum { GEMM_MOST_BLOCKS = 0x7fffffff };

/* The blocks of a grid for tiles of C, or 0 if there are too many. */
static inline unsigned gemm_cut_tiles(gemm_work &work, int tile_m, int tile_n)
{
    const int64_t rows = gemm_divide_up(work.m, tile_m), columns = gemm_divide_up(work.n, tile_n);
    if (columns > GEMM_MOST_BLOCKS / rows || work.batch > GEMM_MOST_BLOCKS / (rows * columns))
        return 0;
    work.tile_rows = static_cast<unsigned>(rows);
    work.tile_columns = static_cast<unsigned>(columns);
    return static_cast<unsigned>(rows * columns * work.batch);
}

/* The blocks of a grid with a thread per element of C, or 0. */
static inline unsigned gemm_cut_elements(const gemm_work &work, int threads)
{
    const int64_t most = int64_t{GEMM_MOST_BLOCKS} * threads, rows = work.m * work.batch;
    return work.n > most / rows ? 0 : static_cast<unsigned>(gemm_divide_up(rows * work.n, threads));
}
