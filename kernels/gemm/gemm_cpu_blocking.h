/* The loops around the micro-kernel: which thread computes which part of C, and in which blocks. */
#pragma once

#include "kernels/gemm/gemm_cpu_micro.h"

/* What a rung of blocks is: the loops of the chosen instruction set for a type. */
struct gemm_blocked {
    const struct gemm_micro *micro;
    const struct gemm_micro_direct *direct; /* NULL: always packed */
};

C_API_BEGIN

/* Computes C, `times` times over. */
enum status gemm_blocked_launch(struct device *device, const struct gemm_args *args,
                                const struct gemm_blocked *blocked, int64_t times);

size_t gemm_blocked_workspace_bytes(const struct gemm_args *args,
                                    const struct gemm_blocked *blocked, int thread_count);

/* "8 x 48 sums in registers, x86-64-v4", and whether A and B are packed. */
void gemm_blocked_describe(const struct gemm_args *args, const struct gemm_blocked *blocked,
                           char *text, size_t size);

/* False where nothing is packed: then the caches decide what is moved. */
bool gemm_blocked_traffic(const struct gemm_args *args, const struct gemm_blocked *blocked,
                          struct kernel_traffic *traffic);

C_API_END
