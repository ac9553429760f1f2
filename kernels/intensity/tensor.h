/* Tensor Core chains: matrix products of a warp on operands that never leave their registers, one
 * after the other. What is measured is the throughput of mma.sync, not the peak of the Tensor
 * Cores: from compute capability 9.0 on that needs other instructions (wgmma, tcgen05).
 *
 * tensor_cuda.h has the rules: operands, what the sums must be, operations. */
#pragma once

#include "harness/measure/kernel.h"
#include "kernels/intensity/tensor_cuda.h"

C_API_BEGIN

/* In the order of enum tensor_cuda_type: what is multiplied, and what it is summed in. */
extern const char *const tensor_type_names[], *const tensor_sum_names[];

/* Blocks of a launch on a GPU of so many multiprocessors: 16 warps each, 4 per scheduler. */
int64_t tensor_blocks(int multiprocessors);

double tensor_operations(const struct tensor_cuda_args *args);

/* What out must hold at that element. */
double tensor_expected(const struct tensor_cuda_args *args, int64_t element);

C_API_END
