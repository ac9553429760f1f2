/* cuBLAS: one call per product or batch, and the library chooses how. */
#include "kernels/blas/cublas.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cublas_symbol symbols[] = {
    {"cublasGetProperty", offsetof(struct cublas, head.property)},
    {"cublasGetStatusString", offsetof(struct cublas, head.status_text)},
    {"cublasCreate_v2", offsetof(struct cublas, create)},
    {"cublasDestroy_v2", offsetof(struct cublas, destroy)},
    {"cublasSetStream_v2", offsetof(struct cublas, set_stream)},
    {"cublasSetWorkspace_v2", offsetof(struct cublas, set_workspace)},
    {"cublasGemmEx", offsetof(struct cublas, multiply)},
    {"cublasGemmStridedBatchedEx", offsetof(struct cublas, multiply_batch)},
    {NULL, 0},
};

/* Handles of libraries belong to the process. What was said to the handle last stands beside it:
 * it is not said again in the midst of a measurement. */
static struct {
    struct cublas library;
    cublasHandle_t handle;
    void *stream, *workspace;
    size_t workspace_bytes;
} cublas;

static enum status check(cublasStatus_t code, const char *call, const char *device)
{
    return cublas_check(&cublas.library.head, code, call, device);
}

enum status cublas_open(const struct cublas **library)
{
    *library = &cublas.library;
    return cublas_open_once("cuBLAS", "libcublas", symbols, &cublas.library);
}

/* Runs before CUDA's own clean-up, which was registered earlier. */
static void destroy_handle(void)
{
    cublas.library.destroy(cublas.handle);
}

static enum status make_handle(const struct cublas_place *place)
{
    cublasHandle_t handle = NULL;
    TRY(check(cublas.library.create(&handle), "cublasCreate", place->device));
    cublas.handle = handle;
    atexit(destroy_handle);
    return STATUS_OK;
}

/* A new stream takes the workspace away, so both are said in this order. */
static enum status settle_in(const struct cublas_place *place)
{
    if (!cublas.handle)
        TRY(make_handle(place));
    if (cublas.stream == place->stream && cublas.workspace == place->workspace &&
        cublas.workspace_bytes == place->workspace_bytes)
        return STATUS_OK;
    cublas.stream = NULL;
    TRY(check(cublas.library.set_stream(cublas.handle, place->stream), "cublasSetStream",
              place->device));
    TRY(check(cublas.library.set_workspace(cublas.handle, place->workspace, place->workspace_bytes),
              "cublasSetWorkspace", place->device));
    cublas.stream = place->stream;
    cublas.workspace = place->workspace;
    cublas.workspace_bytes = place->workspace_bytes;
    return STATUS_OK;
}

/* One and zero in the type that a product is scaled in. */
union scale {
    float f32;
    double f64;
    int32_t int32;
};

static union scale scale_of(cudaDataType_t type, int value)
{
    return type == CUDA_R_64F   ? (union scale){.f64 = value}
           : type == CUDA_R_32I ? (union scale){.int32 = value}
                                : (union scale){.f32 = (float)value};
}

enum status cublas_multiply(const struct cublas_place *place, const struct cublas_product *p)
{
    const struct cublas *library;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const union scale one = scale_of(p->scale, 1), zero = scale_of(p->scale, 0);
    TRY(cublas_open(&library));
    TRY(settle_in(place));
    if (p->batch == 1)
        return check(library->multiply(cublas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, p->b,
                                       p->element, n, p->a, p->element, k, &zero, p->c, p->sum, n,
                                       p->compute, CUBLAS_GEMM_DEFAULT),
                     "cublasGemmEx", place->device);
    return check(library->multiply_batch(cublas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                         p->b, p->element, n, p->k * p->n, p->a, p->element, k,
                                         p->m * p->k, &zero, p->c, p->sum, n, p->m * p->n,
                                         (int)p->batch, p->compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmStridedBatchedEx", place->device);
}
