/* Products of which A and B are not packed: each element would be used too seldom. */
#pragma once

#include "kernels/gemm/gemm_cpu_micro.h"
#include "kernels/gemm/gemm_cpu_split.h"

/* The first elements of one A, B and C of the batch. */
struct gemm_matrices {
    const char *a, *b;
    char *c;
};

C_API_BEGIN

/* Is this shape better left unpacked? */
bool gemm_direct_suits(const struct gemm_args *args, const struct gemm_micro *micro);

/* Computes that part of C. */
void gemm_direct_multiply(const struct gemm_args *args, const struct gemm_micro *micro,
                          const struct gemm_micro_direct *direct, const struct gemm_matrices *at,
                          const struct gemm_part *part);

C_API_END
