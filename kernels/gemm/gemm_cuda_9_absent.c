/* In place of the peers cublas and cublaslt, in a build without their headers: they stand in the
 * ladder and say what is missing. */
#include "kernels/gemm/gemm_cuda.h"

static enum status supports(const void *args)
{
    (void)args;
    return FAIL(STATUS_SKIP, "this build has no cuBLAS: install its headers (libcublas-dev, or the "
                             "whole CUDA toolkit) and build again");
}

static enum status launch(struct device *device, const void *args, int64_t first_unit,
                          int64_t unit_count)
{
    (void)device, (void)first_unit, (void)unit_count;
    return supports(args);
}

const struct kernel gemm_cuda_cublas = {.name = "cublas",
                                        .idea = "cuBLAS, which this build lacks",
                                        .launch = launch,
                                        .is_peer = true,
                                        .supports = supports};
const struct kernel gemm_cuda_cublaslt = {.name = "cublaslt",
                                          .idea = "cuBLASLt, which this build lacks",
                                          .launch = launch,
                                          .is_peer = true,
                                          .supports = supports};
