/* The matrix product, the one kernel that lives under the compute roof: C = A B, `batch` times.
 *
 *     c[i][j] = sum over l of a[i][l] b[l][j]        2 m n k operations
 *
 * Row-major, packed (no gaps between rows, nor between the matrices of a batch): A is m x k, B is
 * k x n, C is m x n; a batch is that many independent triples one behind the other. C is
 * overwritten, never read. Types: f32 and f64 in themselves; bf16, f16, tf32 and fp8 are summed in
 * f32, int8 in int32 (C's type, see gemm_sum_names).
 *
 * Each operand once is the least that a product must move: (m k + k n + m n) elements, so that
 * 2 n^3 operations on 3 n^2 elements have an intensity that grows with n. The ladder shows what
 * it takes to reach it.
 *
 * Units (kernel.h). The rungs that take seconds for a large product (naive, order, tiles) are
 * timed by slabs of rows: unit u is rows gemm_unit_rows(kernel, args, u) of C, counted through the
 * batch (row r belongs to matrix r / m). A product of at most GEMM_WHOLE_OPERATIONS is one unit,
 * and so is any product on the other rungs.
 *
 * Threads share C: each unit is split among the team.
 */
#pragma once

#include "harness/measure/kernel.h"

/* The first four on every device; the rest by Tensor Cores alone. tf32 lies in memory as f32, of
 * which the cores read 10 bits behind the point. */
enum gemm_type {
    GEMM_F32,
    GEMM_F64,
    GEMM_BF16,
    GEMM_INT8,
    GEMM_CPU_TYPE_COUNT,
    GEMM_F16 = GEMM_CPU_TYPE_COUNT,
    GEMM_TF32,
    GEMM_E4M3,
    GEMM_E5M2,
    GEMM_TYPE_COUNT
};

/* 2 x 128^3: below it a whole product is timed on every rung. */
#define GEMM_WHOLE_OPERATIONS 4194304.0

struct gemm_args {
    enum gemm_type type;
    int64_t m, n, k, batch; /* each >= 1 */
    const void *a, *b;
    void *c;
    void *workspace; /* kernel->workspace_bytes of it, aligned to 64 bytes; NULL where 0 */
};

C_API_BEGIN

/* By type: "f32" and "f32", "bf16" and "f32", "int8" and "int32"; NULL ends both. */
extern const char *const gemm_type_names[], *const gemm_sum_names[];

/* Bytes of an element of A and B, and of C. */
int64_t gemm_element_bytes(enum gemm_type type);
int64_t gemm_sum_bytes(enum gemm_type type);

/* Rows first .. first + count - 1 of the batch x m rows of C, which unit u computes. */
void gemm_unit_rows(const struct kernel *kernel, const struct gemm_args *args, int64_t unit,
                    int64_t *first, int64_t *count);

/* For the CPU's rungs: STATUS_SKIP for the types that only Tensor Cores multiply. */
enum status gemm_cpu_supports(const void *args);

/* 2 m n k x batch. */
double gemm_operations(const struct gemm_args *args);

/* Each operand once: batch x ((m k + k n) elements + m n sums). */
double gemm_operand_bytes(const struct gemm_args *args);

/* The rungs of the CPU, slowest idea first. All take any shape. */
extern const struct kernel gemm_cpu_naive;  /* gemm_cpu_0_naive.c: f32 f64 bf16 int8 */
extern const struct kernel gemm_cpu_order;  /* gemm_cpu_1_order.c: the same */
extern const struct kernel gemm_cpu_tiles;  /* gemm_cpu_2_tiles.c: the same */
extern const struct kernel gemm_cpu_packed; /* gemm_cpu_3_packed.c: the same */
extern const struct kernel gemm_cpu_dot;    /* gemm_cpu_4_dot.c: bf16, int8, where there are any */

/* The peers: f32 and f64, by the libraries that kernels/blas/blas.h has opened. */
extern const struct kernel gemm_cpu_openblas, gemm_cpu_blis, gemm_cpu_blas;

C_API_END
