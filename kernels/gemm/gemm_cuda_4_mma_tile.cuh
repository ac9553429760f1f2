/* The mma rung's tiles: how large, how they lie in shared memory, and how they come there.
 *
 * A stage holds DEPTH_BYTES of each of m rows of A, and as many rows of B as those bytes are
 * elements, n columns wide. A chunk is 16 bytes. Within its row, chunk c stands at c xor a number
 * that depends on the row (the type says how), such that the chunks or rows that a warp reads at
 * once are in different banks, without padding.
 */
#pragma once

#include "kernels/gemm/gemm_cuda.cuh"

enum { GEMM_CHUNK_BYTES = 16 };

template <class Type_, int m_, int n_, int warps_down, int warps_across, int stages_, int blocks_>
struct gemm_tile {
    using Type = Type_;
    using element = typename Type::element;
    static constexpr int m = m_, n = n_, stages = stages_;
    static constexpr int blocks = blocks_; /* on a multiprocessor at once, at least */
    static constexpr int warp_m = m / warps_down, warp_n = n / warps_across;
    static constexpr int across = warps_across, threads = 32 * warps_down * warps_across;
    static constexpr int element_bytes = sizeof(element);
    static constexpr int elements = GEMM_CHUNK_BYTES / element_bytes; /* in a chunk */
    static constexpr int a_row_bytes = Type::depth_bytes, b_row_bytes = n * element_bytes;
    static constexpr int k = Type::depth_bytes / element_bytes;
    static constexpr int steps = Type::depth_bytes / Type::step_bytes;
    static constexpr int a_bytes = m * a_row_bytes, b_bytes = k * b_row_bytes;
    static constexpr int stage_bytes = a_bytes + b_bytes, shared_bytes = stages * stage_bytes;
    static constexpr int a_row_chunks = a_row_bytes / GEMM_CHUNK_BYTES;
    static constexpr int b_row_chunks = b_row_bytes / GEMM_CHUNK_BYTES;
    static constexpr int a_pieces = a_bytes / GEMM_CHUNK_BYTES / threads; /* of a thread */
    static constexpr int b_pieces = b_bytes / GEMM_CHUNK_BYTES / threads;
    static constexpr int a_rows_between = threads / a_row_chunks; /* two pieces of a thread */
    static constexpr int b_rows_between = threads / b_row_chunks;
    static_assert(a_pieces * threads * GEMM_CHUNK_BYTES == a_bytes, "whole pieces of A");
    static_assert(b_pieces * threads * GEMM_CHUNK_BYTES == b_bytes, "whole pieces of B");
    static_assert(threads % a_row_chunks == 0 && threads % b_row_chunks == 0, "whole rows");
    static_assert(a_rows_between % 8 == 0, "a thread's rows of A are swizzled alike");
};

/* How a tile comes into shared memory. */
enum gemm_copy {
    GEMM_ASYNC,   /* cp.async, 16 bytes at a time */
    GEMM_STAGED,  /* 16 bytes at a time through registers: before compute capability 8.0 */
    GEMM_ELEMENTS /* one by one through registers: rows that begin anywhere */
};

/* A thread's pieces of a stage in the matrices: the first of A and of B, which move on with the
 * stages; which of its rows of A exist; elements of its columns of B that do. */
template <class Tile>
struct gemm_source {
    const typename Tile::element *a, *b;
    unsigned a_rows; /* bit i: the row of piece i */
    int b_columns;
};

PORT_DEVICE int gemm_clamp(int64_t value, int most)
{
    return value < 0 ? 0 : value < most ? static_cast<int>(value) : most;
}

template <class Tile>
PORT_DEVICE gemm_source<Tile> gemm_find_source(const gemm_work &work, const gemm_place &place)
{
    using element = typename Tile::element;
    const int thread = static_cast<int>(threadIdx.x);
    const int64_t a_row = place.row + thread / Tile::a_row_chunks;
    const int64_t b_row = thread / Tile::b_row_chunks;
    const int64_t b_column = place.column + thread % Tile::b_row_chunks * Tile::elements;
    gemm_source<Tile> from;
    from.a = static_cast<const element *>(work.a) + (place.matrix * work.m + a_row) * work.k +
             thread % Tile::a_row_chunks * Tile::elements;
    from.b =
        static_cast<const element *>(work.b) + (place.matrix * work.k + b_row) * work.n + b_column;
    from.a_rows = 0;
    CUDA_UNROLL
    for (int i = 0; i < Tile::a_pieces; i++)
        from.a_rows |= (a_row + i * Tile::a_rows_between < work.m ? 1u : 0u) << i;
    from.b_columns = gemm_clamp(work.n - b_column, Tile::elements);
    return from;
}

/* Elements of piece i that exist, where `left` of the depth are left: from 0 to a chunk's. */
template <class Tile>
PORT_DEVICE int gemm_count_a(const gemm_source<Tile> &from, int i, int left)
{
    const int column = static_cast<int>(threadIdx.x) % Tile::a_row_chunks * Tile::elements;
    return from.a_rows >> i & 1 ? gemm_clamp(left - column, Tile::elements) : 0;
}

template <class Tile>
PORT_DEVICE int gemm_count_b(const gemm_source<Tile> &from, int i, int left)
{
    const int row = static_cast<int>(threadIdx.x) / Tile::b_row_chunks + i * Tile::b_rows_between;
    return row < left ? from.b_columns : 0;
}

/* Where a thread's piece i stands in a stage, in bytes. */
template <class Tile>
PORT_DEVICE int gemm_piece_a(int i)
{
    const int row = static_cast<int>(threadIdx.x) / Tile::a_row_chunks;
    const int chunk = static_cast<int>(threadIdx.x) % Tile::a_row_chunks;
    return (row + i * Tile::a_rows_between) * Tile::a_row_bytes +
           (chunk ^ Tile::Type::swizzle_a(row)) * GEMM_CHUNK_BYTES;
}

template <class Tile>
PORT_DEVICE int gemm_piece_b(int i)
{
    const int row = static_cast<int>(threadIdx.x) / Tile::b_row_chunks + i * Tile::b_rows_between;
    const int chunk = static_cast<int>(threadIdx.x) % Tile::b_row_chunks;
    return Tile::a_bytes + row * Tile::b_row_bytes +
           (chunk ^ Tile::Type::swizzle_b(row)) * GEMM_CHUNK_BYTES;
}

template <class Tile>
PORT_DEVICE void gemm_copy_async(char *stage, const gemm_source<Tile> &from, const gemm_work &work,
                                 int left)
{
    CUDA_UNROLL
    for (int i = 0; i < Tile::a_pieces; i++)
        cp_async16(stage + gemm_piece_a<Tile>(i), from.a + i * Tile::a_rows_between * work.k,
                   gemm_count_a(from, i, left) ? GEMM_CHUNK_BYTES : 0);
    CUDA_UNROLL
    for (int i = 0; i < Tile::b_pieces; i++)
        cp_async16(stage + gemm_piece_b<Tile>(i), from.b + i * Tile::b_rows_between * work.n,
                   gemm_count_b(from, i, left) ? GEMM_CHUNK_BYTES : 0);
}

/* What a thread carries through registers; whole words, for the compiler takes chunks of smaller
 * elements apart. */
template <class Tile>
struct gemm_cargo {
    gemm_chunk<uint32_t> a[Tile::a_pieces], b[Tile::b_pieces];
};

template <bool is_aligned, class E>
PORT_DEVICE gemm_chunk<uint32_t> gemm_fetch_chunk(const E *from, int left)
{
    if constexpr (is_aligned)
        return gemm_load_chunk<true>(reinterpret_cast<const uint32_t *>(from), left);
    const gemm_chunk<E> elements = gemm_load_chunk<false>(from, left);
    gemm_chunk<uint32_t> words;
    memcpy(&words, &elements, sizeof(words));
    return words;
}

template <class Tile, bool is_aligned>
PORT_DEVICE void gemm_fetch(gemm_cargo<Tile> &cargo, const gemm_source<Tile> &from,
                            const gemm_work &work, int left)
{
    CUDA_UNROLL
    for (int i = 0; i < Tile::a_pieces; i++)
        cargo.a[i] = gemm_fetch_chunk<is_aligned>(from.a + i * Tile::a_rows_between * work.k,
                                                  gemm_count_a(from, i, left));
    CUDA_UNROLL
    for (int i = 0; i < Tile::b_pieces; i++)
        cargo.b[i] = gemm_fetch_chunk<is_aligned>(from.b + i * Tile::b_rows_between * work.n,
                                                  gemm_count_b(from, i, left));
}

template <class Tile>
PORT_DEVICE void gemm_put(char *stage, const gemm_cargo<Tile> &cargo)
{
    using chunk = gemm_chunk<uint32_t>;
    CUDA_UNROLL
    for (int i = 0; i < Tile::a_pieces; i++)
        shared_store16(reinterpret_cast<chunk *>(stage + gemm_piece_a<Tile>(i)), cargo.a[i]);
    CUDA_UNROLL
    for (int i = 0; i < Tile::b_pieces; i++)
        shared_store16(reinterpret_cast<chunk *>(stage + gemm_piece_b<Tile>(i)), cargo.b[i]);
}
