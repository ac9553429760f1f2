/* Between the files that make the CUDA device's kernel set. */
#pragma once

#include "harness/measure/kernel.h"

extern const struct kernel *const gemm_cuda_ladder[];
extern const struct kernel *const tensor_cuda_ladder[];
