/* Rung 4: Tensor Cores. Rung 3 is limited by the plain cores' multiply-adds; mma.sync does 2048 of
 * them (f16) in one instruction of a warp, and the task is now to bring it its operands.
 *
 * Per mma and warp, with warps of 64 x 64 sums (4 x 8 mma per step) on the large and middle tile:
 *     shared memory    A 64 x 32 bytes, B 32 bytes x 64: 4 KiB per 32 mma = 128 bytes per mma
 *     instructions     16 bits: 8 ldmatrix per 32 mma; tf32: 8 loads and 32 roundings; int8: 12
 *                      loads and 32 byte permutations; then the stage's copies, their addresses and
 *                      a barrier: 1.3 instructions besides each mma on 8.0, tf32 2.1, int8 2.3 (as
 *                      tests/cuda/gemm/static_table.py counts)
 * An mma of 16 x 8 over 32 bytes of depth takes a quarter of a multiprocessor 8 cycles on 8.0, 16
 * on 8.6 and 8.9's data center chips, 32 on GeForce: 8 starts of instructions, and of the 128 bytes
 * that shared memory gives per cycle the 4 quarters ask for 64 on 8.0, less elsewhere.
 *
 * Traffic from the L2 per multiply-add: (m + n) / (m n) elements: 24 bytes a cycle on 8.0 with 128
 * x 256, of about 47; written to shared memory as much again. So 88 of 128 bytes a cycle on 8.0.
 * Latency: cp.async runs stages - 1 ahead; a step's fragments are loaded while the step before is
 * multiplied. 64 x 64 sums are 128 registers of a thread, two sets of fragments 64.
 * Banks: no access conflicts (gemm_cuda_4_mma_tile.cuh), by exchange of places and no padding.
 * What limits it next: on 9.0 and 10.0 mma.sync itself: full rate is for wgmma and tcgen05 alone,
 * which read shared memory without registers. Elsewhere the last wave of tiles, and the clock. */
#include "kernels/gemm/gemm_cuda_4_mma.cuh"

/* 128 x 256: 8 warps and 96 KiB fill a multiprocessor of 8.6 and 8.9 alone. 128 x 128: two blocks
 * of 4 warps and 48 KiB, which hide one another's barriers, and fit 7.5 once. Small: for C's that
 * would leave multiprocessors idle. Ragged: for rows that begin anywhere. */
template <class Type>
struct tiles {
    using large = gemm_tile<Type, 128, 256, 2, 4, 4, 1>;
    using middle = gemm_tile<Type, 128, 128, 2, 2, 3, 2>;
    using small = gemm_tile<Type, 64, 64, 2, 2, 4, 2>;
    using ragged = small;
};

template <> /* B's fragments need warps of 64 columns */
struct tiles<gemm_mma_int8> {
    using large = gemm_tile<gemm_mma_int8, 128, 256, 2, 4, 4, 1>;
    using middle = gemm_tile<gemm_mma_int8, 128, 128, 2, 2, 3, 2>;
    using small = gemm_tile<gemm_mma_int8, 64, 128, 2, 2, 4, 2>;
    using ragged = gemm_tile<gemm_mma_int8, 64, 128, 4, 2, 4, 1>; /* 3 x 16 bytes a thread */
};

template <> /* 32 x 32 sums are 64 registers, and two sets of fragments 64 */
struct tiles<gemm_mma_f64> {
    using large = gemm_tile<gemm_mma_f64, 64, 128, 2, 4, 3, 1>;
    using middle = gemm_tile<gemm_mma_f64, 64, 64, 2, 2, 3, 2>;
    using small = middle;
    using ragged = middle;
};

/* A kernel and its tile, without their types. */
struct choice {
    void (*kernel)(gemm_work);
    struct gemm_cuda_tile tile;
    int resident;                /* blocks on a multiprocessor */
    double shared_bytes_per_sum; /* and step: what limits a tile that the Tensor Cores do not */
};

template <class Tile, gemm_copy copy>
static choice make_choice()
{
    const struct gemm_cuda_tile tile = {Tile::m,
                                        Tile::n,
                                        Tile::k,
                                        Tile::threads,
                                        Tile::stages,
                                        Tile::shared_bytes,
                                        copy != GEMM_ELEMENTS};
    return {gemm_mma<Tile, copy>, tile, Tile::blocks, 1.0 / Tile::warp_m + 1.0 / Tile::warp_n};
}

enum { CHOICES = 3 };

/* Seconds in no unit: waves of blocks, each as long as its sums and their operands are many. Half
 * of the time is the Tensor Cores', half the shared memory's where warps have 64 x 64 sums. */
static double estimate(const choice &choice, const struct gemm_args *args,
                       const struct cuda_grid *grid)
{
    const int64_t tiles = gemm_divide_up(args->m, choice.tile.m) *
                          gemm_divide_up(args->n, choice.tile.n) * args->batch;
    const int64_t at_once = int64_t{grid->multiprocessors} * choice.resident;
    const double sums = static_cast<double>(choice.tile.m) * choice.tile.n * choice.resident;
    return static_cast<double>(gemm_divide_up(tiles, at_once)) * sums *
           (1 + 32 * choice.shared_bytes_per_sum);
}

/* The kernels for a shape, best first: how many. */
template <class Type>
static int choose(const struct gemm_args *args, const struct cuda_grid *grid,
                  choice (&choices)[CHOICES])
{
    using t = tiles<Type>;
    constexpr int elements = 16 / sizeof(typename Type::element);
    if (args->k % elements || args->n % elements) {
        choices[0] = make_choice<typename t::ragged, GEMM_ELEMENTS>();
        return 1;
    }
    choices[0] = make_choice<typename t::large, GEMM_ASYNC>();
    choices[1] = make_choice<typename t::middle, GEMM_ASYNC>();
    choices[2] = make_choice<typename t::small, GEMM_ASYNC>();
    for (int i = 1; i < CHOICES; i++)
        for (int j = i;
             j > 0 && estimate(choices[j], args, grid) < estimate(choices[j - 1], args, grid);
             j--) {
            const choice other = choices[j];
            choices[j] = choices[j - 1];
            choices[j - 1] = other;
        }
    return CHOICES;
}

static int choose_for_type(const struct gemm_args *args, const struct cuda_grid *grid,
                           choice (&choices)[CHOICES])
{
    switch (static_cast<int>(args->type)) {
    case GEMM_F16: return choose<gemm_mma_f16>(args, grid, choices);
    case GEMM_BF16: return choose<gemm_mma_bf16>(args, grid, choices);
    case GEMM_TF32: return choose<gemm_mma_tf32>(args, grid, choices);
    case GEMM_INT8: return choose<gemm_mma_int8>(args, grid, choices);
    case GEMM_F64: return choose<gemm_mma_f64>(args, grid, choices);
    default: return 0;
    }
}

int gemm_cuda_4_mma(const struct gemm_args *args, const struct cuda_grid *grid, void *stream)
{
    choice choices[CHOICES];
    const int count = choose_for_type(args, grid, choices);
    int error = CUDA_INVALID_VALUE;
    for (int i = 0; i < count; i++) {
        const choice &chosen = choices[i];
        gemm_work work = gemm_describe_work(args);
        const unsigned blocks = gemm_cut_tiles(work, chosen.tile.m, chosen.tile.n);
        if (blocks == 0)
            continue;
        error = CUDA_ALLOW_SHARED(chosen.kernel, chosen.tile.shared_bytes);
        if (error) { /* more than this device has: a smaller tile */
            (void)CUDA_LAUNCH_ERROR();
            continue;
        }
        CUDA_LAUNCH(chosen.kernel, blocks, static_cast<unsigned>(chosen.tile.threads),
                    static_cast<size_t>(chosen.tile.shared_bytes), stream, work);
        return CUDA_LAUNCH_ERROR();
    }
    return error;
}

bool gemm_cuda_mma_tile(const struct gemm_args *args, const struct cuda_grid *grid,
                        struct gemm_cuda_tile *tile)
{
    choice choices[CHOICES];
    if (choose_for_type(args, grid, choices) == 0)
        return false;
    *tile = choices[0].tile;
    return true;
}

bool gemm_cuda_mma_supports(enum gemm_type type, int capability)
{
    switch (static_cast<int>(type)) {
    case GEMM_F16:
    case GEMM_INT8: return capability >= 75;
    case GEMM_BF16:
    case GEMM_TF32: return capability >= 80;
    case GEMM_F64: return capability == 80 || capability == 90 || capability == 100;
    default: return false;
    }
}
