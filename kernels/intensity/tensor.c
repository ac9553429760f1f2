#include "kernels/intensity/tensor.h"

#include <stddef.h>

enum { BLOCKS_PER_MULTIPROCESSOR = 2, SUMS = TENSOR_CUDA_M * TENSOR_CUDA_N };

const char *const tensor_type_names[] = {"f64",  "tf32", "f16",  "f16_sums", "bf16",
                                         "int8", "e4m3", "e5m2", NULL};
const char *const tensor_sum_names[] = {"f64",   "f32", "f32", "f16", "f32",
                                        "int32", "f32", "f32", NULL};

int64_t tensor_blocks(int multiprocessors)
{
    return (int64_t)BLOCKS_PER_MULTIPROCESSOR * multiprocessors;
}

double tensor_operations(const struct tensor_cuda_args *args)
{
    return 2.0 * SUMS * tensor_cuda_depth(args->type) * (double)args->steps * (double)args->blocks *
           TENSOR_CUDA_WARPS * TENSOR_CUDA_CHAINS;
}

double tensor_expected(const struct tensor_cuda_args *args, int64_t element)
{
    const int64_t chain = element / SUMS;
    const int place = (int)(element % SUMS);
    return (double)tensor_cuda_expected(args, (uint32_t)(chain / TENSOR_CUDA_CHAINS),
                                        (uint32_t)(chain % TENSOR_CUDA_CHAINS),
                                        place / TENSOR_CUDA_N, place % TENSOR_CUDA_N);
}
