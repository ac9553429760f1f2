/* libcublas.so.13, as far as ridge calls it. */
#include "tests/cuda/cublas/fake_blas.h"

struct handle {
    void *stream, *workspace;
    size_t workspace_bytes;
};

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {[MAJOR_VERSION] = 13, [MINOR_VERSION] = 1, [PATCH_LEVEL] = 7};
    *value = parts[type];
    return fake_blas_call(__func__, CUBLAS_STATUS_SUCCESS);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED    ? "the fake does not support it"
           : status == CUBLAS_STATUS_INVALID_VALUE  ? "the fake sees an invalid value"
           : status == CUBLAS_STATUS_INTERNAL_ERROR ? "the fake was told to fail"
                                                    : "a word of the fake";
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    const cublasStatus_t status = fake_blas_call("cublasCreate", CUBLAS_STATUS_SUCCESS);
    if (status == CUBLAS_STATUS_SUCCESS)
        *handle = fake_blas_acquire(sizeof(struct handle));
    return status;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    return fake_blas_call("cublasDestroy", fake_blas_give_back(handle));
}

static cublasStatus_t known(cublasHandle_t handle)
{
    return fake_blas_is_held(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

/* A new stream takes the workspace away. */
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    const cublasStatus_t status = fake_blas_call("cublasSetStream", known(handle));
    if (status == CUBLAS_STATUS_SUCCESS)
        *(struct handle *)handle = (struct handle){.stream = stream};
    return status;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    const cublasStatus_t status = fake_blas_call("cublasSetWorkspace", known(handle));
    if (status == CUBLAS_STATUS_SUCCESS) {
        ((struct handle *)handle)->workspace = workspace;
        ((struct handle *)handle)->workspace_bytes = bytes;
    }
    return status;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a_form,
                                          cublasOperation_t b_form, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int a_leading, long long a_stride, const void *b,
                                          cudaDataType b_type, int b_leading, long long b_stride,
                                          const void *beta, void *c, cudaDataType c_type,
                                          int c_leading, long long c_stride, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    const struct handle *own = (const struct handle *)handle;
    const struct fake_product product = {
        .a = {a_type, a, m, k, a_leading, a_stride, a_form == CUBLAS_OP_T},
        .b = {b_type, b, k, n, b_leading, b_stride, b_form == CUBLAS_OP_T},
        .c = {c_type, c, m, n, c_leading, c_stride, false},
        .batch = batch,
        .compute = compute,
        .alpha = alpha,
        .beta = beta,
        .workspace = own->workspace,
        .workspace_bytes = own->workspace_bytes,
    };
    if (!fake_blas_is_held(handle) || !own->stream || algorithm != CUBLAS_GEMM_DEFAULT)
        return CUBLAS_STATUS_INVALID_VALUE;
    return fake_blas_multiply(batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx", &product);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_form,
                            cublasOperation_t b_form, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType a_type, int a_leading, const void *b,
                            cudaDataType b_type, int b_leading, const void *beta, void *c,
                            cudaDataType c_type, int c_leading, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, a_form, b_form, m, n, k, alpha, a, a_type, a_leading,
                                      0, b, b_type, b_leading, 0, beta, c, c_type, c_leading, 0, 1,
                                      compute, algorithm);
}
