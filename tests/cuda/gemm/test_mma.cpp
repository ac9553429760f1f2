/* The mma rung: all types and tiles, shapes that no tile divides, and what its memory accesses
 * cost. */
#include "tests/cuda/emulation/emulation.h"
#include "tests/cuda/gemm/products.h"

#include <cstdio>
#include <cstdlib>

static const std::vector<enum gemm_type> all_types = {GEMM_F16, GEMM_BF16, GEMM_TF32, GEMM_INT8,
                                                      GEMM_F64};

/* The grid's size decides which tile is taken. */
static int run_small(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    const struct cuda_grid many = {100000, 8, nullptr};
    return gemm_cuda_4_mma(args, &many, stream);
}

static int run_large(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    const struct cuda_grid one = {1, 8, nullptr};
    return gemm_cuda_4_mma(args, &one, stream);
}

static bool check_all(Launch launch, const std::vector<Shape> &shapes,
                      Values values = Values::whole)
{
    bool is_right = true;
    for (const enum gemm_type type : all_types)
        for (const Shape &shape : shapes)
            is_right = check_product("mma", launch, type, shape, values) && is_right;
    return is_right;
}

/* Rows that begin at multiples of 16 bytes: n and k are multiples of 16. */
static bool aligned_shapes_are_right()
{
    return check_all(
        run_small,
        {{1, 16, 16, 1}, {64, 64, 64, 1}, {70, 80, 48, 1}, {64, 144, 208, 1}, {130, 16, 400, 1}});
}

static bool ragged_shapes_are_right()
{
    return check_all(run_small, {{1, 1, 1, 1}, {3, 5, 7, 1}, {65, 66, 67, 1}, {17, 130, 33, 1}});
}

static bool batches_are_right()
{
    return check_all(run_small, {{20, 32, 48, 3}, {9, 11, 13, 4}, {65, 144, 16, 2}});
}

static struct gemm_cuda_tile tile_of(Launch launch, enum gemm_type type, const Shape &s)
{
    const struct gemm_args args = {type,    s.m,     s.n,     s.k,    s.batch,
                                   nullptr, nullptr, nullptr, nullptr};
    const struct cuda_grid one = {1, 8, nullptr}, many = {100000, 8, nullptr};
    struct gemm_cuda_tile tile = {};
    gemm_cuda_mma_tile(&args, launch == run_large ? &one : &many, &tile);
    return tile;
}

/* What one multiprocessor would take: all three tiles. */
static bool large_tiles_are_right()
{
    const struct gemm_cuda_tile large = tile_of(run_large, GEMM_F16, {128, 256, 96, 1});
    const struct gemm_cuda_tile middle = tile_of(run_large, GEMM_F16, {256, 128, 64, 1});
    return large.n == 256 && middle.m == 128 && middle.n == 128 &&
           check_all(run_large, {{128, 256, 96, 1}, {144, 272, 80, 1}, {256, 128, 64, 1}});
}

/* For the thread sanitizer: every stage is used again. */
static bool small_shapes_are_right()
{
    bool is_right = check_product("mma", run_large, GEMM_F16, {128, 256, 192, 1});
    for (const enum gemm_type type : all_types)
        is_right = check_product("mma", run_small, type, {64, 64, 336, 1}) &&
                   check_product("mma", run_small, type, {33, 35, 171, 1}) && is_right;
    return is_right;
}

static bool real_numbers_are_right()
{
    return check_all(run_small, {{40, 48, 112, 1}, {33, 31, 45, 1}}, Values::real) &&
           check_all(run_large, {{128, 256, 32, 1}}, Values::real);
}

/* The tile that a shape gets, from one that is large enough for each. */
static bool tiles_are_chosen_by_size()
{
    struct gemm_args args = {GEMM_F16, 4096, 4096, 4096, 1, nullptr, nullptr, nullptr, nullptr};
    const struct cuda_grid a100 = {108, 8, nullptr};
    struct gemm_cuda_tile large, small, ragged;
    bool is_known = gemm_cuda_mma_tile(&args, &a100, &large);
    args.m = args.n = 256;
    is_known = gemm_cuda_mma_tile(&args, &a100, &small) && is_known;
    args.k = 4095;
    is_known = gemm_cuda_mma_tile(&args, &a100, &ragged) && is_known;
    args.type = GEMM_F32;
    return is_known && !gemm_cuda_mma_tile(&args, &a100, &large) && large.n == 256 &&
           large.m == 128 && large.shared_bytes == 96 << 10 && large.is_aligned && small.m == 64 &&
           small.is_aligned && ragged.m == 64 && !ragged.is_aligned;
}

static bool support_is_by_capability()
{
    return gemm_cuda_mma_supports(GEMM_F16, 75) && !gemm_cuda_mma_supports(GEMM_BF16, 75) &&
           gemm_cuda_mma_supports(GEMM_TF32, 80) && gemm_cuda_mma_supports(GEMM_F64, 90) &&
           !gemm_cuda_mma_supports(GEMM_F64, 89) && !gemm_cuda_mma_supports(GEMM_F32, 90) &&
           gemm_cuda_mma_supports(GEMM_INT8, 75) && !gemm_cuda_mma_supports(GEMM_F16, 70);
}

static bool expect(const char *type, const char *what, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        fprintf(stderr, "mma %s: %s: %lu, not %lu\n", type, what, static_cast<unsigned long>(got),
                static_cast<unsigned long>(wanted));
    return got == wanted;
}

/* One tile of C exactly: no access waits for a bank, and every count is what the design says. */
static bool check_costs(Launch launch, enum gemm_type type)
{
    struct gemm_cuda_tile tile = tile_of(launch, type, {128, 256, 64, 1});
    const Shape shape = {tile.m, tile.n, 5 * tile.k, 1};
    bool is_right = check_product("mma", launch, type, shape);
    const auto &c = emulation::counters;
    const char *name = type_name(type);
    const uint64_t step = type == GEMM_INT8 ? 32 : type == GEMM_F16 || type == GEMM_BF16 ? 16 : 8;
    const uint64_t mma = static_cast<uint64_t>(tile.m / 16 * (tile.n / 8) * shape.k) / step;
    const uint64_t stage_copies = static_cast<uint64_t>(tile.shared_bytes / tile.stages / 16);
    const uint64_t stages_begun = static_cast<uint64_t>(5 + tile.stages - 1);
    is_right = expect(name, "blocks", c.blocks, 1) && is_right;
    is_right = expect(name, "mma", c.matrix_multiplies, mma) && is_right;
    is_right = expect(name, "barriers, one per stage and one before", c.barriers, 6) && is_right;
    is_right =
        expect(name, "16-byte copies", c.async_copies, stage_copies * stages_begun) && is_right;
    is_right =
        expect(name, "shared bytes", c.shared_bytes, static_cast<uint64_t>(tile.shared_bytes)) &&
        is_right;
    is_right = (type == GEMM_F64 || c.ldmatrix_rows > 0) && c.shared_bytes > 0 && is_right;
    is_right = expect(name, "bank conflicts of ldmatrix", c.ldmatrix_conflicts, 0) && is_right;
    is_right =
        expect(name, "bank conflicts of loads and stores", c.shared_conflicts, 0) && is_right;
    return is_right;
}

static bool no_access_waits_for_a_bank()
{
    bool is_right = true;
    for (const enum gemm_type type : all_types) {
        is_right = check_costs(run_large, type) && is_right;
        is_right = check_costs(run_small, type) && is_right;
        is_right = check_product("mma", run_small, type, {64, 67, 65, 1}) && is_right;
        is_right =
            expect(type_name(type), "bank conflicts of rows that begin anywhere",
                   emulation::counters.shared_conflicts + emulation::counters.ldmatrix_conflicts,
                   0) &&
            is_right;
    }
    return is_right;
}

static bool every_order_is_right()
{
    static const char *const orders[] = {"reverse", "random:1", "random:2"};
    bool is_right = true;
    for (const char *order : orders)
        for (const char *copies : {"late", "early"}) {
            setenv("RIDGE_EMULATION_SCHEDULE", order, 1);
            setenv("RIDGE_EMULATION_COPIES", copies, 1);
            is_right = check_all(run_small, {{64, 80, 400, 1}, {33, 35, 67, 2}}) && is_right;
        }
    unsetenv("RIDGE_EMULATION_SCHEDULE");
    unsetenv("RIDGE_EMULATION_COPIES");
    return is_right;
}

int main(int argc, char **argv)
{
    return run_tests({{"aligned", aligned_shapes_are_right},
                      {"ragged", ragged_shapes_are_right},
                      {"batches", batches_are_right},
                      {"small", small_shapes_are_right},
                      {"large", large_tiles_are_right},
                      {"real", real_numbers_are_right},
                      {"choice", tiles_are_chosen_by_size},
                      {"support", support_is_by_capability},
                      {"banks", no_access_waits_for_a_bank},
                      {"orders", every_order_is_right}},
                     argc - 1, argv + 1);
}
