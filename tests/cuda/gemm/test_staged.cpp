/* The path of compute capability 7.5, which has no cp.async: the mma rung's kernel with its tiles
 * carried through registers. On the GPU the compiler takes it by itself; here it is asked for. */
#include "kernels/gemm/gemm_cuda_4_mma.cuh"
#include "tests/cuda/gemm/products.h"

template <class Tile>
static int run_tile(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    gemm_work work = gemm_describe_work(args);
    const unsigned blocks = gemm_cut_tiles(work, Tile::m, Tile::n);
    CUDA_LAUNCH((gemm_mma<Tile, GEMM_STAGED>), blocks, Tile::threads, Tile::shared_bytes, stream,
                work);
    return CUDA_LAUNCH_ERROR();
}

template <class Type>
using middle = gemm_tile<Type, 128, 128, 2, 2, 3, 2>;
template <class Type>
using double_buffered = gemm_tile<Type, 64, 64, 2, 2, 2, 2>;

static bool staged_tiles_are_right()
{
    bool is_right = true;
    for (const Shape &shape : {Shape{128, 128, 320, 1}, Shape{40, 144, 48, 2}}) {
        is_right =
            check_product("staged", run_tile<middle<gemm_mma_f16>>, GEMM_F16, shape) && is_right;
        is_right =
            check_product("staged", run_tile<middle<gemm_mma_int8>>, GEMM_INT8, shape) && is_right;
    }
    return is_right;
}

static bool two_stages_are_enough()
{
    const Shape shape = {70, 80, 208, 1};
    return check_product("two stages", run_tile<double_buffered<gemm_mma_f16>>, GEMM_F16, shape) &&
           check_product("two stages", run_tile<double_buffered<gemm_mma_tf32>>, GEMM_TF32, shape);
}

int main(int argc, char **argv)
{
    return run_tests({{"staged", staged_tiles_are_right}, {"small", two_stages_are_enough}},
                     argc - 1, argv + 1);
}
