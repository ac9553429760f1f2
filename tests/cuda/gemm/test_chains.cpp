/* The Tensor Core chains: every accumulator holds what tensor_cuda.h says, and every step is one
 * mma per chain. */
#include "kernels/intensity/tensor_cuda.h"
#include "tests/cuda/emulation/emulation.h"
#include "tests/cuda/emulation/mma_emulation.h"
#include "tests/cuda/gemm/products.h"

#include <cstdio>

template <class T>
static double number(const void *out, size_t index)
{
    return static_cast<double>(static_cast<const T *>(out)[index]);
}

static double number_of(enum tensor_cuda_type type, const void *out, size_t index)
{
    switch (type) {
    case TENSOR_CUDA_F64: return number<double>(out, index);
    case TENSOR_CUDA_INT8: return number<int32_t>(out, index);
    case TENSOR_CUDA_F16_SUMS:
        return emulation::f16_value(static_cast<const uint16_t *>(out)[index]);
    default: return number<float>(out, index);
    }
}

static bool check_chains(enum tensor_cuda_type type, int64_t steps, uint32_t seed)
{
    const uint32_t warps = 2 * TENSOR_CUDA_WARPS;
    const size_t count = static_cast<size_t>(warps) * TENSOR_CUDA_CHAINS * 16 * 8;
    std::vector<double> memory(count, -12345); /* enough for every type */
    const struct tensor_cuda_args args = {type, 2, steps, seed, memory.data()};
    if (tensor_cuda_1_chains(&args, nullptr) != 0)
        return false;
    bool is_right =
        emulation::counters.matrix_multiplies ==
        static_cast<uint64_t>(warps) * TENSOR_CUDA_CHAINS * static_cast<uint64_t>(steps);
    if (!is_right)
        fprintf(stderr, "type %d: %lu mma\n", type,
                static_cast<unsigned long>(emulation::counters.matrix_multiplies));
    size_t index = 0, nonzero = 0;
    for (uint32_t warp = 0; warp < warps; warp++)
        for (uint32_t chain = 0; chain < TENSOR_CUDA_CHAINS; chain++)
            for (int row = 0; row < 16; row++)
                for (int column = 0; column < 8; column++, index++) {
                    const double wanted =
                        static_cast<double>(tensor_cuda_expected(&args, warp, chain, row, column));
                    const double got = number_of(type, memory.data(), index);
                    nonzero += wanted != 0;
                    if (got == wanted)
                        continue;
                    if (is_right)
                        fprintf(
                            stderr, "type %d, %ld steps: warp %u, chain %u, (%d, %d): %g, not %g\n",
                            type, static_cast<long>(steps), warp, chain, row, column, got, wanted);
                    is_right = false;
                }
    return is_right && (nonzero > count / 2 || (tensor_cuda_alternates(type) && steps % 2 == 0));
}

static bool chains_hold_their_closed_form()
{
    bool is_right = true;
    for (int type = 0; type < TENSOR_CUDA_TYPE_COUNT; type++)
        for (const int64_t steps : {1, 2, 8, 19})
            is_right = check_chains(static_cast<enum tensor_cuda_type>(type), steps, 7) && is_right;
    return is_right;
}

static bool seeds_differ()
{
    int differences = 0;
    for (uint32_t i = 0; i < 300; i++)
        differences += tensor_cuda_value(1, 0, 0, i) != tensor_cuda_value(2, 0, 1, i + 7);
    return differences > 150 && check_chains(TENSOR_CUDA_INT8, 3, 0xfffffff0u);
}

static bool rules_are_kept()
{
    struct tensor_cuda_args args = {TENSOR_CUDA_F16, 1, 0, 1, nullptr};
    bool is_refused = tensor_cuda_1_chains(&args, nullptr) != 0;
    args.steps = TENSOR_CUDA_MOST_STEPS + 1;
    is_refused = tensor_cuda_1_chains(&args, nullptr) != 0 && is_refused;
    args.steps = 1;
    args.blocks = 0;
    is_refused = tensor_cuda_1_chains(&args, nullptr) != 0 && is_refused;
    return is_refused && tensor_cuda_supports(TENSOR_CUDA_E4M3, 89) &&
           !tensor_cuda_supports(TENSOR_CUDA_E4M3, 90) &&
           tensor_cuda_supports(TENSOR_CUDA_F64, 80) &&
           !tensor_cuda_supports(TENSOR_CUDA_F64, 86) &&
           !tensor_cuda_supports(TENSOR_CUDA_TF32, 75) &&
           tensor_cuda_supports(TENSOR_CUDA_F16_SUMS, 75);
}

int main(int argc, char **argv)
{
    return run_tests({{"chains", chains_hold_their_closed_form},
                      {"seeds", seeds_differ},
                      {"rules", rules_are_kept}},
                     argc - 1, argv + 1);
}
