/* The rungs without Tensor Cores, on every type and on shapes that no tile divides. */
#include "tests/cuda/emulation/emulation.h"
#include "tests/cuda/gemm/products.h"

#include <cstdio>

static const Shape shapes[] = {
    {1, 1, 1, 1},    {1, 7, 3, 2},    {16, 16, 16, 1}, {17, 15, 33, 1},
    {33, 20, 19, 3}, {64, 64, 32, 1}, {5, 130, 16, 1}, {131, 3, 17, 2},
};
static const Shape tile_shapes[] = {{128, 128, 48, 1}, {132, 140, 20, 2}, {64, 192, 64, 1}};

static bool check_rung(const char *name, Launch launch, const std::vector<enum gemm_type> &types)
{
    bool is_right = true;
    for (const enum gemm_type type : types) {
        for (const Shape &shape : shapes)
            is_right = check_product(name, launch, type, shape) && is_right;
        is_right = check_product(name, launch, type, {37, 29, 50, 2}, Values::real) && is_right;
    }
    return is_right;
}

static const std::vector<enum gemm_type> all_plain = {GEMM_F32, GEMM_F64, GEMM_F16, GEMM_BF16,
                                                      GEMM_INT8};

static bool naive_is_right()
{
    return check_rung("naive", gemm_cuda_0_naive, all_plain);
}

static bool coalesced_is_right()
{
    return check_rung("coalesced", gemm_cuda_1_coalesced, all_plain);
}

static bool shared_is_right()
{
    return check_rung("shared", gemm_cuda_2_shared, all_plain);
}

static bool registers_is_right()
{
    bool is_right = check_rung("registers", gemm_cuda_3_registers, {GEMM_F32, GEMM_F64});
    for (const Shape &shape : tile_shapes) {
        is_right = check_product("registers", gemm_cuda_3_registers, GEMM_F32, shape) && is_right;
        is_right = check_product("registers", gemm_cuda_3_registers, GEMM_F64, shape) && is_right;
    }
    return is_right;
}

/* For the thread sanitizer. */
static bool small_shapes_are_right()
{
    bool is_right = true;
    for (const Launch launch : {gemm_cuda_1_coalesced, gemm_cuda_2_shared, gemm_cuda_3_registers})
        is_right = check_product("small", launch, GEMM_F32, {20, 36, 40, 1}) &&
                   check_product("small", launch, GEMM_F64, {17, 33, 27, 1}) && is_right;
    return is_right;
}

/* What the headers of rungs 2 and 3 say of banks, on whole tiles. */
static bool no_access_waits_for_a_bank()
{
    bool is_right = true;
    for (const enum gemm_type type : {GEMM_F32, GEMM_F64}) {
        is_right = check_product("shared", gemm_cuda_2_shared, type, {32, 32, 32, 1}) && is_right;
        is_right = emulation::counters.shared_conflicts == 0 && is_right;
        is_right =
            check_product("registers", gemm_cuda_3_registers, type, {128, 128, 24, 1}) && is_right;
        is_right = emulation::counters.shared_conflicts == 0 && is_right;
        is_right = emulation::counters.shared_accesses > 0 && is_right;
        if (!is_right)
            fprintf(stderr, "%s: %lu conflicts\n", type_name(type),
                    static_cast<unsigned long>(emulation::counters.shared_conflicts));
    }
    return is_right;
}

static bool unknown_types_are_refused()
{
    struct gemm_args args = {GEMM_TF32, 1, 1, 1, 1, nullptr, nullptr, nullptr, nullptr};
    bool is_refused = true;
    for (const Launch launch :
         {gemm_cuda_0_naive, gemm_cuda_1_coalesced, gemm_cuda_2_shared, gemm_cuda_3_registers})
        is_refused = launch(&args, &emulated_grid, nullptr) != 0 && is_refused;
    args.type = GEMM_F32;
    args.m = args.n = int64_t{1} << 24; /* 2^48 elements: more than a grid of one thread each */
    for (const Launch launch :
         {gemm_cuda_0_naive, gemm_cuda_1_coalesced, gemm_cuda_2_shared, gemm_cuda_3_registers})
        is_refused = launch(&args, &emulated_grid, nullptr) != 0 && is_refused;
    return is_refused;
}

int main(int argc, char **argv)
{
    return run_tests({{"naive", naive_is_right},
                      {"coalesced", coalesced_is_right},
                      {"shared", shared_is_right},
                      {"registers", registers_is_right},
                      {"small", small_shapes_are_right},
                      {"banks", no_access_waits_for_a_bank},
                      {"refused", unknown_types_are_refused}},
                     argc - 1, argv + 1);
}
