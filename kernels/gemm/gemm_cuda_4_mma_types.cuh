/* The mma rung's types: how a warp's fragments of A and B come out of a stage, and the instruction
 * that multiplies them.
 *
 * A step is one mma deep: 32 bytes of a row of A, 64 in f64. A lane is (g, t) = (lane / 4, lane mod
 * 4). A's fragments come by ldmatrix, which deals 8 rows of 16 bytes whatever they hold: lane (g,
 * t) gets bytes 4 t .. 4 t + 3 of row g, which is where mma wants 1 element of 32 bits, 2 of 16 and
 * 4 of 8 bits alike. B stands in rows, and mma wants pieces of columns: ldmatrix turns them for 16
 * bits only. The others use that columns may be dealt to the mma's in any way, if C is stored the
 * same way: a lane loads `interleave` neighbouring columns and gives one to each of as many mma's.
 * It then holds 2 x interleave neighbouring columns of C. int8 needs 4 rows of one column in a
 * register, too: 8 byte permutations turn 4 x 4 bytes.
 *
 * In f64, lane t takes depths 2 t and 2 t + 1 of 8 for places t and t + 4 of the mma, in A and B
 * alike, so that both are loads of 16 bytes.
 */
#pragma once

#include "kernels/gemm/gemm_cuda_4_mma_tile.cuh"

template <class Tile>
struct gemm_fragments {
    typename Tile::Type::word a[Tile::warp_m / 16][4], b[Tile::warp_n / 8][2];
};

/* A lane's place in the block. */
struct gemm_lane {
    int g, t, lane, row, column; /* row and column: where the warp's part of the tile begins */
};

/* A, of 8, 16 or 32 bits. Chunks of 8 rows of 64 bytes: two rows take all banks, so that row / 2
 * says which 16 of 64 bytes. */
struct gemm_mma_narrow {
    static constexpr int depth_bytes = 64, step_bytes = 32;
    using word = uint32_t;

    PORT_METHOD int swizzle_a(int row)
    {
        return row >> 1 & 3;
    }

    template <class Tile>
    PORT_METHOD void load_a(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        const int row = at.row + at.lane % 16;
        const int chunk = (2 * step + at.lane / 16) ^ swizzle_a(at.lane % 16);
        const char *from = stage + row * Tile::a_row_bytes + chunk * GEMM_CHUNK_BYTES;
        CUDA_UNROLL
        for (int i = 0; i < Tile::warp_m / 16; i++)
            ldmatrix_x4(to.a[i], from + i * 16 * Tile::a_row_bytes);
    }
};

/* Rows of B are multiples of 128 bytes: the same chunk of 8 rows goes to 8 places. */
struct gemm_mma_16bit : gemm_mma_narrow {
    using element = gemm_half;
    using sum = float;
    static constexpr int interleave = 1;

    PORT_METHOD int swizzle_b(int row)
    {
        return row & 7;
    }

    template <class Tile>
    PORT_METHOD void load_b(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        const char *row = stage + Tile::a_bytes + (16 * step + at.lane % 16) * Tile::b_row_bytes;
        CUDA_UNROLL
        for (int j = 0; j < Tile::warp_n / 8; j += 2) {
            const int chunk = (at.column / 8 + j + at.lane / 16) ^ swizzle_b(at.lane);
            uint32_t both[4];
            ldmatrix_x4_transposed(both, row + chunk * GEMM_CHUNK_BYTES);
            CUDA_UNROLL
            for (int i = 0; i < 4; i++)
                to.b[j + i / 2][i % 2] = both[i];
        }
    }
};

struct gemm_mma_f16 : gemm_mma_16bit {
    static constexpr bool is_here = true;
    PORT_METHOD void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_f16_m16n8k16(d, a, b);
    }
};

struct gemm_mma_bf16 : gemm_mma_16bit {
    static constexpr bool is_here = CUDA_HAS_MMA_BF16;
    PORT_METHOD void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_bf16_m16n8k16(d, a, b);
    }
};

/* A quarter of a warp reads 2 chunks of each of 4 rows: row mod 4 says which pair of 8. */
struct gemm_mma_tf32 : gemm_mma_narrow {
    using element = float;
    using sum = float;
    static constexpr int interleave = 4;
    static constexpr bool is_here = CUDA_HAS_MMA_TF32;

    PORT_METHOD int swizzle_b(int row)
    {
        return 2 * (row & 3);
    }

    /* To the nearest of 10 bits of fraction, ties away from zero: half a unit is added, and mma
     * does not look at what is left below. cvt.rna.tf32 does the same at a quarter of the rate. */
    PORT_METHOD uint32_t round(uint32_t bits)
    {
        return bits + 0x1000u;
    }

    template <class Tile>
    PORT_METHOD void load_a(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        gemm_mma_narrow::load_a(to, stage, at, step);
        CUDA_UNROLL
        for (auto &fragment : to.a)
            for (auto &word : fragment)
                word = round(word);
    }

    template <class Tile>
    PORT_METHOD void load_b(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        const int chunk = (at.column / 4 + at.g) ^ swizzle_b(at.t);
        const char *from = stage + Tile::a_bytes + (8 * step + at.t) * Tile::b_row_bytes +
                           chunk * GEMM_CHUNK_BYTES;
        CUDA_UNROLL
        for (int j = 0; j < Tile::warp_n / 8; j += interleave)
            CUDA_UNROLL
        for (int half = 0; half < 2; half++) {
            const auto four = shared_load16(reinterpret_cast<const gemm_chunk<uint32_t> *>(
                from + 4 * half * Tile::b_row_bytes + j * 8 * Tile::element_bytes));
            CUDA_UNROLL
            for (int i = 0; i < interleave; i++)
                to.b[j + i][half] = round(four.at[i]);
        }
    }

    PORT_METHOD void multiply(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_tf32_m16n8k8(d, a, b);
    }
};

/* A half of a warp reads 8 bytes of 4 columns' worth of lanes, of rows 4 apart: row / 4 says which
 * pair of chunks. */
struct gemm_mma_int8 : gemm_mma_narrow {
    using element = int8_t;
    using sum = int32_t;
    static constexpr int interleave = 8;
    static constexpr bool is_here = true;

    PORT_METHOD int swizzle_b(int row)
    {
        return 2 * (row >> 2 & 3);
    }

    /* Byte j of rows[i] becomes byte i of columns[j]. */
    PORT_METHOD void turn(uint32_t (&columns)[4], const uint32_t (&rows)[4])
    {
        const uint32_t low01 = permute_bytes(rows[0], rows[1], 0x5140);
        const uint32_t high01 = permute_bytes(rows[0], rows[1], 0x7362);
        const uint32_t low23 = permute_bytes(rows[2], rows[3], 0x5140);
        const uint32_t high23 = permute_bytes(rows[2], rows[3], 0x7362);
        columns[0] = permute_bytes(low01, low23, 0x5410);
        columns[1] = permute_bytes(low01, low23, 0x7632);
        columns[2] = permute_bytes(high01, high23, 0x5410);
        columns[3] = permute_bytes(high01, high23, 0x7632);
    }

    struct alignas(8) eight {
        uint32_t word[2];
    };

    template <class Tile>
    PORT_METHOD void load_b(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        static_assert(Tile::warp_n == 64, "8 lanes with 8 columns each");
        const int chunk = (at.column / 16 + at.g / 2) ^ swizzle_b(4 * at.t);
        const char *from = stage + Tile::a_bytes + (32 * step + 4 * at.t) * Tile::b_row_bytes +
                           chunk * GEMM_CHUNK_BYTES + at.g % 2 * 8;
        CUDA_UNROLL
        for (int half = 0; half < 2; half++) {
            uint32_t rows[2][4];
            CUDA_UNROLL
            for (int i = 0; i < 4; i++) {
                const auto both = shared_load(
                    reinterpret_cast<const eight *>(from + (16 * half + i) * Tile::b_row_bytes));
                rows[0][i] = both.word[0];
                rows[1][i] = both.word[1];
            }
            CUDA_UNROLL
            for (int side = 0; side < 2; side++) {
                uint32_t columns[4];
                turn(columns, rows[side]);
                CUDA_UNROLL
                for (int j = 0; j < 4; j++)
                    to.b[4 * side + j][half] = columns[j];
            }
        }
    }

    PORT_METHOD void multiply(int32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
    {
        mma_int8_m16n8k32(d, a, b);
    }
};

/* A quarter of a warp reads 4 chunks of each of 2 rows of A, 2 chunks of each of 4 rows of B that
 * are 2 apart. */
struct gemm_mma_f64 {
    using element = double;
    using sum = double;
    using word = double;
    static constexpr int depth_bytes = 128, step_bytes = 64, interleave = 2;
    static constexpr bool is_here = CUDA_HAS_MMA_F64;

    PORT_METHOD int swizzle_a(int row)
    {
        return 4 * (row & 1);
    }

    PORT_METHOD int swizzle_b(int row)
    {
        return 2 * (row >> 1 & 3);
    }

    template <class Tile>
    PORT_METHOD void load_a(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        const int chunk = (4 * step + at.t) ^ swizzle_a(at.g);
        const char *from = stage + (at.row + at.g) * Tile::a_row_bytes + chunk * GEMM_CHUNK_BYTES;
        CUDA_UNROLL
        for (int i = 0; i < Tile::warp_m / 8; i++) {
            const auto both = shared_load16(
                reinterpret_cast<const gemm_chunk<double> *>(from + i * 8 * Tile::a_row_bytes));
            to.a[i / 2][i % 2] = both.at[0];
            to.a[i / 2][i % 2 + 2] = both.at[1];
        }
    }

    template <class Tile>
    PORT_METHOD void load_b(gemm_fragments<Tile> &to, const char *stage, const gemm_lane &at,
                            int step)
    {
        const int chunk = (at.column / 2 + at.g) ^ swizzle_b(2 * at.t);
        const char *from = stage + Tile::a_bytes + (8 * step + 2 * at.t) * Tile::b_row_bytes +
                           chunk * GEMM_CHUNK_BYTES;
        CUDA_UNROLL
        for (int j = 0; j < Tile::warp_n / 8; j += interleave)
            CUDA_UNROLL
        for (int half = 0; half < 2; half++) {
            const auto both = shared_load16(reinterpret_cast<const gemm_chunk<double> *>(
                from + half * Tile::b_row_bytes + j * 8 * Tile::element_bytes));
            to.b[j][half] = both.at[0];
            to.b[j + 1][half] = both.at[1];
        }
    }

    PORT_METHOD void multiply(double (&d)[4], const double (&a)[4], const double (&b)[2])
    {
        mma_f64_m16n8k8(d, a, b);
    }
};
