/* The mma rung's end: a warp's sums into C, 16 bytes at a time.
 *
 * A lane holds, of each mma, columns 2 t and 2 t + 1 of rows g and g + 8. Types that interleave
 * columns (gemm_cuda_4_mma_types.cuh) have 2 x interleave neighbours at hand. With 16-bit inputs a
 * lane has two, 8 bytes: it trades them with its neighbour, so that even lanes get four columns of
 * the even mma and odd lanes four of the odd one. */
#pragma once

#include "kernels/gemm/gemm_cuda_4_mma_types.cuh"

template <class Tile>
using gemm_sums = typename Tile::Type::sum[Tile::warp_m / 16][Tile::warp_n / 8][4];

/* Sums 2 half and 2 half + 1 of two neighbouring mma's; the columns begin at *column of both. */
PORT_DEVICE gemm_chunk<float> gemm_trade(const float (&even)[4], const float (&odd)[4], int half,
                                         int t, int *column)
{
    const bool is_odd = t % 2;
    float mine[2], theirs[2];
    CUDA_UNROLL
    for (int i = 0; i < 2; i++) {
        mine[i] = is_odd ? odd[2 * half + i] : even[2 * half + i];
        theirs[i] =
            __shfl_xor_sync(0xffffffffu, is_odd ? even[2 * half + i] : odd[2 * half + i], 1);
    }
    *column = is_odd ? 8 + 2 * (t - 1) : 2 * t;
    return {is_odd ? theirs[0] : mine[0], is_odd ? theirs[1] : mine[1],
            is_odd ? mine[0] : theirs[0], is_odd ? mine[1] : theirs[1]};
}

/* left: columns of C from `to` on, none if there is no such row. */
template <class Tile, bool is_aligned>
PORT_DEVICE void gemm_store_row(const typename Tile::Type::sum (&sums)[Tile::warp_n / 8][4],
                                int half, int t, typename Tile::Type::sum *to, int64_t left)
{
    using sum = typename Tile::Type::sum;
    constexpr int interleave = Tile::Type::interleave, count = 16 / sizeof(sum);
    constexpr int together = interleave == 1 ? 2 : interleave; /* mma's */
    CUDA_UNROLL
    for (int j = 0; j < Tile::warp_n / 8; j += together) {
        if constexpr (interleave == 1) {
            int column;
            const auto chunk = gemm_trade(sums[j], sums[j + 1], half, t, &column);
            gemm_store_chunk(to + 8 * j + column, chunk, left - 8 * j - column, is_aligned);
        } else {
            CUDA_UNROLL
            for (int first = 0; first < 2 * interleave; first += count) {
                const int column = 8 * j + 2 * interleave * t + first;
                gemm_chunk<sum> chunk;
                CUDA_UNROLL
                for (int i = 0; i < count; i++)
                    chunk.at[i] =
                        sums[j + (first + i) % interleave][2 * half + (first + i) / interleave];
                gemm_store_chunk(to + column, chunk, left - column, is_aligned);
            }
        }
    }
}

template <class Tile, bool is_aligned>
PORT_DEVICE void gemm_store(const gemm_sums<Tile> &sums, const gemm_work &work,
                            const gemm_place &place, const gemm_lane &at)
{
    using sum = typename Tile::Type::sum;
    const int64_t column = place.column + at.column;
    int64_t row = place.row + at.row + at.g;
    sum *to = static_cast<sum *>(work.c) + (place.matrix * work.m + row) * work.n + column;
    CUDA_UNROLL
    for (int i = 0; i < Tile::warp_m / 8; i++) {
        gemm_store_row<Tile, is_aligned>(sums[i / 2], i % 2, at.t, to,
                                         row < work.m ? work.n - column : 0);
        row += 8;
        to += 8 * work.n;
    }
}
