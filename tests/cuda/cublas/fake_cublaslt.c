/* libcublasLt.so.13, as far as ridge calls it. Of the five candidates that it proposes the first is
 * marked as unusable, the third is refused when it is run, the fourth is the fastest. */
#include "tests/cuda/cublas/fake_blas.h"

#include <cublasLt.h>

#include <string.h>
#include <time.h>

enum { CANDIDATES = 5, UNUSABLE = 0, REFUSED = 2, FASTEST = 3, FIRST_ID = 60 };
static const struct timespec SLOW = {.tv_nsec = 8000000};

struct layout {
    cudaDataType_t type;
    int64_t rows, columns, leading, stride;
    int32_t batch;
};
struct operation {
    cublasComputeType_t compute;
    cublasOperation_t a_form, b_form;
};
struct preference {
    uint64_t workspace_bytes;
};

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {[MAJOR_VERSION] = 13, [MINOR_VERSION] = 1, [PATCH_LEVEL] = 8};
    *value = parts[type];
    return fake_blas_call(__func__, CUBLAS_STATUS_SUCCESS);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED    ? "the fake does not support it"
           : status == CUBLAS_STATUS_INTERNAL_ERROR ? "the fake was told to fail"
                                                    : "a word of the fake";
}

static cublasStatus_t make(const char *function, void **thing, size_t bytes)
{
    const cublasStatus_t status = fake_blas_call(function, CUBLAS_STATUS_SUCCESS);
    if (status == CUBLAS_STATUS_SUCCESS)
        *thing = fake_blas_acquire(bytes);
    return status;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return make(__func__, (void **)handle, 1);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return fake_blas_call(__func__, fake_blas_give_back(handle));
}

/* ---- Descriptions. */

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    const cudaDataType_t right = compute == CUBLAS_COMPUTE_64F   ? CUDA_R_64F
                                 : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I
                                                                 : CUDA_R_32F;
    if (scale != right)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status = make(__func__, (void **)desc, sizeof(struct operation));
    if (status == CUBLAS_STATUS_SUCCESS)
        *(struct operation *)*desc = (struct operation){compute, CUBLAS_OP_N, CUBLAS_OP_N};
    return status;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    struct operation *operation = (struct operation *)desc;
    const bool is_known = attribute == CUBLASLT_MATMUL_DESC_TRANSA && bytes == 4;
    const cublasStatus_t status =
        fake_blas_call(__func__, is_known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE);
    if (status == CUBLAS_STATUS_SUCCESS)
        memcpy(&operation->a_form, value, bytes);
    return status;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    return fake_blas_call(__func__, fake_blas_give_back(desc));
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading)
{
    const cublasStatus_t status = make(__func__, (void **)layout, sizeof(struct layout));
    if (status == CUBLAS_STATUS_SUCCESS)
        *(struct layout *)*layout =
            (struct layout){type, (int64_t)rows, (int64_t)columns, leading, 0, 1};
    return status;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t untyped,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t bytes)
{
    struct layout *layout = (struct layout *)untyped;
    const bool is_batch = attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == 4;
    const bool is_stride = attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == 8;
    const cublasStatus_t status = fake_blas_call(
        __func__, is_batch || is_stride ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE);
    if (status == CUBLAS_STATUS_SUCCESS && is_batch)
        memcpy(&layout->batch, value, bytes);
    else if (status == CUBLAS_STATUS_SUCCESS)
        memcpy(&layout->stride, value, bytes);
    return status;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return fake_blas_call(__func__, fake_blas_give_back(layout));
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    return make(__func__, (void **)preference, sizeof(struct preference));
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
    const bool is_known = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == 8;
    memcpy(&((struct preference *)preference)->workspace_bytes, value, 8);
    return fake_blas_call(__func__, is_known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return fake_blas_call(__func__, fake_blas_give_back(preference));
}

/* ---- Products. */

static struct fake_matrix matrix(const struct layout *layout, cublasOperation_t form,
                                 const void *elements)
{
    const bool is_transposed = form == CUBLAS_OP_T;
    return (struct fake_matrix){layout->type,
                                elements,
                                is_transposed ? layout->columns : layout->rows,
                                is_transposed ? layout->rows : layout->columns,
                                layout->leading,
                                layout->stride,
                                is_transposed};
}

/* One byte per element: A transposed, B not, and whole words or 16 bytes in every column. */
static bool is_refused(const struct fake_product *p)
{
    const int64_t by = p->a.type == CUDA_R_8I ? 4 : 16;
    const bool is_narrow = p->a.type == CUDA_R_8I || p->a.type == CUDA_R_8F_E4M3;
    return is_narrow &&
           (!p->a.is_transposed || p->b.is_transposed || p->a.leading % by || p->c.rows % by);
}

static struct fake_product product_of(cublasLtMatmulDesc_t desc, const void *a,
                                      cublasLtMatrixLayout_t a_layout, const void *b,
                                      cublasLtMatrixLayout_t b_layout, void *c,
                                      cublasLtMatrixLayout_t c_layout)
{
    const struct operation *operation = (const struct operation *)desc;
    return (struct fake_product){
        .a = matrix((const struct layout *)a_layout, operation->a_form, a),
        .b = matrix((const struct layout *)b_layout, operation->b_form, b),
        .c = matrix((const struct layout *)c_layout, CUBLAS_OP_N, c),
        .batch = ((const struct layout *)c_layout)->batch,
        .compute = operation->compute,
    };
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[], int *count)
{
    static char somewhere;
    const struct fake_product product =
        product_of(desc, &somewhere, a, &somewhere, b, &somewhere, c);
    cublasStatus_t status = fake_blas_judge(&product);
    if (status == CUBLAS_STATUS_SUCCESS && is_refused(&product))
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (!fake_blas_is_held(handle) || most < CANDIDATES || c != d)
        status = CUBLAS_STATUS_INVALID_VALUE;
    status = fake_blas_call(__func__, status);
    *count = 0;
    for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < CANDIDATES; i++, ++*count) {
        memset(&results[i], 0xff, sizeof(results[i]));
        results[i].algo.data[0] = FIRST_ID + (uint64_t)i;
        results[i].state = i == UNUSABLE ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
        results[i].workspaceSize = ((const struct preference *)preference)->workspace_bytes;
    }
    return status;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void *value, size_t bytes, size_t *written)
{
    const uint32_t answer =
        attribute == CUBLASLT_ALGO_CONFIG_ID          ? (uint32_t)algorithm->data[0]
        : attribute == CUBLASLT_ALGO_CONFIG_TILE_ID   ? CUBLASLT_MATMUL_TILE_128x256
        : attribute == CUBLASLT_ALGO_CONFIG_STAGES_ID ? CUBLASLT_MATMUL_STAGES_64x4
                                                      : 1;
    memcpy(value, &answer, sizeof(answer));
    *written = bytes;
    return fake_blas_call(__func__, bytes == sizeof(answer) ? CUBLAS_STATUS_SUCCESS
                                                            : CUBLAS_STATUS_INVALID_VALUE);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                              cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                              cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    struct fake_product product = product_of(desc, a, a_layout, b, b_layout, d, d_layout);
    const int candidate = (int)algorithm->data[0] - FIRST_ID;
    product.alpha = alpha;
    product.beta = beta;
    product.workspace = workspace;
    product.workspace_bytes = bytes;
    if (!fake_blas_is_held(handle) || !stream || c != d || c_layout != d_layout ||
        is_refused(&product) || candidate == UNUSABLE)
        return fake_blas_call(__func__, CUBLAS_STATUS_INVALID_VALUE);
    if (candidate == REFUSED)
        return fake_blas_call(__func__, CUBLAS_STATUS_NOT_SUPPORTED);
    if (candidate != FASTEST)
        nanosleep(&SLOW, NULL);
    return fake_blas_multiply(__func__, &product);
}
