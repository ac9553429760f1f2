/* The mma rung's kernel: gemm_cuda_4_mma.cu says why it is as it is. */
#pragma once

#include "kernels/gemm/gemm_cuda_4_mma_store.cuh"

template <class Tile>
PORT_DEVICE gemm_lane gemm_find_lane()
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    return {lane / 4, lane % 4, lane, warp / Tile::across * Tile::warp_m,
            warp % Tile::across * Tile::warp_n};
}

template <class Tile>
PORT_DEVICE void gemm_multiply(gemm_sums<Tile> &sums, const gemm_fragments<Tile> &fragments)
{
    CUDA_UNROLL
    for (int i = 0; i < Tile::warp_m / 16; i++)
        CUDA_UNROLL
    for (int j = 0; j < Tile::warp_n / 8; j++)
        Tile::Type::multiply(sums[i][j], fragments.a[i], fragments.b[j]);
}

template <class Tile>
PORT_DEVICE void gemm_load(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                           int step)
{
    Tile::Type::load_a(to, stage, at, step);
    Tile::Type::load_b(to, stage, at, step);
}

/* Brings stage after stage of the operands. */
template <class Tile, gemm_copy copy>
struct gemm_pipeline {
    static constexpr bool is_async = copy == GEMM_ASYNC && CUDA_HAS_ASYNC_COPIES;
    char *shared;
    gemm_source<Tile> from;
    gemm_cargo<Tile> cargo; /* unless is_async */
    int target;             /* the first byte of the stage that is brought next */
};

template <class Tile>
PORT_DEVICE int gemm_next_stage(int stage)
{
    constexpr int last = Tile::shared_bytes - Tile::stage_bytes;
    return stage == last ? 0 : stage + Tile::stage_bytes;
}

/* Starts to bring a stage; left: of the depth, from there on. */
template <class Tile, gemm_copy copy>
PORT_DEVICE void gemm_begin(gemm_pipeline<Tile, copy> &p, const gemm_work &work, int64_t left)
{
    const int depth = gemm_clamp(left, Tile::k);
    if constexpr (gemm_pipeline<Tile, copy>::is_async) {
        gemm_copy_async(p.shared + p.target, p.from, work, depth);
        cp_async_commit();
    } else {
        gemm_fetch<Tile, copy != GEMM_ELEMENTS>(p.cargo, p.from, work, depth);
    }
}

template <class Tile, gemm_copy copy>
PORT_DEVICE void gemm_end(gemm_pipeline<Tile, copy> &p, const gemm_work &work)
{
    if constexpr (!gemm_pipeline<Tile, copy>::is_async)
        gemm_put(p.shared + p.target, p.cargo);
    p.target = gemm_next_stage<Tile>(p.target);
    p.from.a += Tile::k;
    p.from.b += Tile::k * work.n;
}

/* All but the youngest stages - 2 stages that were begun are there, and seen by the whole block,
 * which has read what it wanted of the stages before. */
template <class Tile, gemm_copy copy>
PORT_DEVICE void gemm_await()
{
    if constexpr (gemm_pipeline<Tile, copy>::is_async)
        cp_async_wait<Tile::stages - 2>();
    __syncthreads();
}

/* The sums of a block's tile. In step 0 of a stage the block has left the one before it, which is
 * where the stage that is brought now goes: stages - 1 ahead. */
template <class Tile, gemm_copy copy>
PORT_DEVICE void gemm_sum_up(gemm_sums<Tile> &sums, const gemm_work &work, const gemm_place &place,
                             const gemm_lane &at)
{
    CUDA_DYNAMIC_SHARED(char, shared);
    static_assert(Tile::steps == 2, "two sets of fragments take turns");
    gemm_fragments<Tile> fragments[2];
    gemm_pipeline<Tile, copy> p = {shared, gemm_find_source<Tile>(work, place), {}, 0};
    CUDA_UNROLL
    for (int i = 0; i < Tile::stages - 1; i++) {
        gemm_begin(p, work, work.k - i * Tile::k);
        gemm_end(p, work);
    }
    gemm_await<Tile, copy>();
    int stage = 0;
    gemm_load(fragments[0], shared, at, 0);
    CUDA_NO_UNROLL
    for (int64_t left = work.k; left > 0; left -= Tile::k) {
        gemm_load(fragments[1], shared + stage, at, 1);
        gemm_begin(p, work, left - (Tile::stages - 1) * Tile::k);
        gemm_multiply<Tile>(sums, fragments[0]);
        gemm_end(p, work);
        gemm_await<Tile, copy>();
        stage = gemm_next_stage<Tile>(stage);
        gemm_load(fragments[0], shared + stage, at, 0);
        gemm_multiply<Tile>(sums, fragments[1]);
    }
}

template <class Tile, gemm_copy copy>
static __global__ void __launch_bounds__(Tile::threads, Tile::blocks) gemm_mma(gemm_work work)
{
    if constexpr (!Tile::Type::is_here || Tile::shared_bytes > CUDA_MOST_SHARED_BYTES) {
        trap();
    } else {
        const gemm_place place = gemm_find_place(work, Tile::m, Tile::n);
        const gemm_lane at = gemm_find_lane<Tile>();
        gemm_sums<Tile> sums = {};
        gemm_sum_up<Tile, copy>(sums, work, place, at);
        gemm_store<Tile, copy != GEMM_ELEMENTS>(sums, work, place, at);
    }
}
