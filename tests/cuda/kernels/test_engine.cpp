/* The emulation's own operations against what the CUDA and PTX manuals say of them. */
#include "kernels/cuda/port.cuh"
#include "tests/cuda/kernels/check.h"

static void shuffles_and_votes_are_those_of_the_manual()
{
    DeviceArray<int> out(6 * 32);
    int *to = out.data();
    auto kernel = [=] {
        const int lane = static_cast<int>(threadIdx.x), value = 10 * lane;
        to[lane] = __shfl_sync(0xffffffffu, value, 5);
        to[32 + lane] = __shfl_up_sync(0xffffffffu, value, 3);
        to[64 + lane] = __shfl_down_sync(0xffffffffu, value, 3, 8);
        to[96 + lane] = __shfl_xor_sync(0xffffffffu, value, 16);
        to[128 + lane] = static_cast<int>(__ballot_sync(0xffffffffu, lane % 2));
        to[160 + lane] = __any_sync(0xffffffffu, lane == 9) + 2 * __all_sync(0xffffffffu, lane < 9);
    };
    CUDA_LAUNCH(kernel, 1, 32, 0, nullptr);
    for (int lane = 0; lane < 32; lane++) {
        const int down = lane % 8 < 5 ? lane + 3 : lane;
        const int right[] = {50,
                             10 * (lane < 3 ? lane : lane - 3),
                             10 * down,
                             10 * (lane ^ 16),
                             static_cast<int>(0xaaaaaaaau),
                             1};
        for (int i = 0; i < 6; i++)
            expect(to[32 * i + lane] == right[i], "operation %d, lane %d: %d, not %d", i, lane,
                   to[32 * i + lane], right[i]);
    }
}

/* f16 holds small whole numbers: the bits of 0 .. 15 are found by counting up in the format. */
static uint16_t half_of(int number)
{
    static const uint16_t bits[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return static_cast<uint16_t>(bits[number < 0 ? -number : number] | (number < 0 ? 0x8000 : 0));
}

static int small(uint64_t stream, int row, int column)
{
    return scatter(stream, static_cast<uint64_t>(100 * row + column)) % 8;
}

/* A (16 x 16) by ldmatrix, B (16 x 8) by ldmatrix of its rows, transposed. */
static void matrix_products_are_exact_in_small_whole_numbers()
{
    DeviceArray<float> d(16 * 8);
    float *to = d.data();
    auto kernel = [=] {
        CUDA_SHARED(uint16_t, a, [16][24]);
        CUDA_SHARED(uint16_t, b, [16][24]);
        const int lane = static_cast<int>(threadIdx.x);
        for (int i = lane; i < 16 * 24; i += 32) {
            a[i / 24][i % 24] = half_of(small(1, i / 24, i % 24));
            b[i / 24][i % 24] = half_of(small(2, i / 24, i % 24));
        }
        __syncthreads();
        uint32_t of_a[4], of_b[4];
        float sums[4] = {1, 1, 1, 1};
        ldmatrix_x4(of_a, &a[lane % 16][lane / 16 * 8]);
        ldmatrix_x4_transposed(of_b, &b[lane % 16][lane / 16 * 8]);
        mma_f16_m16n8k16(sums, of_a, of_b);
        for (int i = 0; i < 4; i++)
            to[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
    };
    CUDA_LAUNCH(kernel, 1, 32, 0, nullptr);
    expect(emulation::counters.ldmatrix_conflicts == 0, "rows of 48 bytes do not conflict");
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            int sum = 1;
            for (int k = 0; k < 16; k++)
                sum += small(1, row, k) * small(2, k, column);
            const float is = to[row * 8 + column];
            expect(is == static_cast<float>(sum), "(%d, %d): %g, not %d", row, column,
                   static_cast<double>(is), sum);
        }
}

static uint64_t conflicts_at(unsigned stride_bytes, unsigned bytes)
{
    auto kernel = [=] {
        CUDA_SHARED(uint4, words, [512]);
        auto *at = reinterpret_cast<unsigned char *>(&words[0]) + threadIdx.x * stride_bytes;
        if (bytes == 4)
            (void)shared_load(reinterpret_cast<uint32_t *>(at));
        else
            (void)shared_load16(reinterpret_cast<uint4 *>(at));
    };
    CUDA_LAUNCH(kernel, 1, 32, 0, nullptr);
    return emulation::counters.shared_conflicts;
}

static void bank_conflicts_are_counted()
{
    expect(conflicts_at(4, 4) == 0, "neighbours of 4 bytes");
    expect(conflicts_at(8, 4) == 1, "every other word: %lu", conflicts_at(8, 4));
    expect(conflicts_at(128, 4) == 31, "one bank: %lu", conflicts_at(128, 4));
    expect(conflicts_at(132, 4) == 0, "padded rows: %lu", conflicts_at(132, 4));
    expect(conflicts_at(0, 4) == 0, "one word for all: %lu", conflicts_at(0, 4));
    expect(conflicts_at(16, 16) == 0, "neighbours of 16 bytes");
    expect(conflicts_at(32, 16) == 4, "every other 16 bytes: %lu", conflicts_at(32, 16));
    expect(conflicts_at(128, 16) == 28, "one group of banks: %lu", conflicts_at(128, 16));
}

static void tickets_count_every_block_once()
{
    unsigned ticket = 0, lasts = 0;
    unsigned *at = &ticket, *count = &lasts;
    auto kernel = [=] {
        if (threadIdx.x == 0 && atomicInc(at, gridDim.x - 1) == gridDim.x - 1)
            atomicAdd(count, 1u);
    };
    CUDA_LAUNCH(kernel, dim3(5, 2, 2), 40, 0, nullptr);
    expect(emulation::counters.blocks == 20 && lasts == 4 && ticket == 0, "%u lasts, ticket %u",
           lasts, ticket);
}

/* Pairs whose exact sum lies just beside the middle of two f16: a sum rounded to double first, or
 * to float, would land on the wrong one. */
static void narrow_multiply_adds_round_once()
{
    /* (1 + 2^-10) x 2^-11 + 1 = 1 + 2^-11 + 2^-21: above the middle, up to 1 + 2^-10. */
    expect(fma_f16x2(0x3c01, 0x1000, 0x3c00) == 0x3c01, "above the middle");
    /* 1 x 2^-11 + 1: the middle itself, to even. */
    expect(fma_f16x2(0x3c00, 0x1000, 0x3c00) == 0x3c00, "the middle");
    /* 65504 x 65504 overflows; the least subnormal survives. */
    expect(fma_f16x2(0x7bff, 0x7bff, 0) == 0x7c00, "overflow");
    expect(fma_f16x2(0x0001, 0x3c00, 0) == 0x0001, "subnormal");
    expect(fma_f16x2(0x0001, 0x3800, 0) == 0x0000, "half the least, to even");
    expect(fma_f16x2(0x3c000000, 0x40000000, 0xbc000000) == 0x3c000000,
           "the upper half: 1 x 2 - 1");
    expect(fma_bf16x2(0x3f80, 0x3b80, 0x3f80) == 0x3f80, "bf16: 1 + 2^-8, to even");
    expect(fma_bf16x2(0x3f81, 0x3b80, 0x3f80) == 0x3f81, "bf16: above the middle");
}

int main()
{
    return run_tests({
        {"shuffles and votes are those of the manual", shuffles_and_votes_are_those_of_the_manual},
        {"matrix products are exact in small whole numbers",
         matrix_products_are_exact_in_small_whole_numbers},
        {"bank conflicts are counted", bank_conflicts_are_counted},
        {"tickets count every block once", tickets_count_every_block_once},
        {"narrow multiply-adds round once", narrow_multiply_adds_round_once},
    });
}
