/* What the two peers of NVIDIA share: gemm.h's types as cuBLAS calls them, and what it refuses. */
#pragma once

#include "harness/measure/device.h"
#include "kernels/blas/cublas.h"
#include "kernels/gemm/gemm_cuda.h"

/* What NVIDIA recommends for 9.0 and 10.0 (cuBLAS documentation, cublasSetWorkspace); older GPUs
 * would do with 4 MiB. Allocated by the bench, so nothing is allocated under the stopwatch. */
enum { GEMM_CUBLAS_WORKSPACE_BYTES = 32 << 20 };

C_API_BEGIN

struct cublas_product gemm_cublas_product(const struct gemm_args *args);
struct cublas_place gemm_cublas_place(const struct device *device, const struct gemm_args *args);

/* STATUS_SKIP where this GPU has no unit for the type. */
enum status gemm_cublas_offered(const struct device *device, const struct gemm_args *args);

/* STATUS_SKIP for shapes that the library does not take. */
enum status gemm_cublas_sizes(const struct gemm_args *args, const char *library);
enum status gemm_cublas_divisible(const struct gemm_args *args, const char *library, int by);

/* Tells the device that a product was queued; tells why one was not. */
enum status gemm_cublas_queued(struct device *device, const struct gemm_args *args,
                               const char *rung);
enum status gemm_cublas_failed(struct device *device, enum status status);

/* Appends the environment's variables that change the libraries' arithmetic. */
void gemm_cublas_note_forced(char *text, size_t size);

C_API_END
