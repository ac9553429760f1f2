/* NVIDIA's matrix products, as a program would call them: cuBLAS and, a level below, cuBLASLt.
 *
 * Both are opened at run time behind small tables of functions: linking them costs half a second at
 * every start, they need not be where ridge is built, and tests put others in their place.
 * RTLD_LOCAL keeps their names apart from what a program has of its own. A library is opened when
 * it is first asked for, never twice, and never closed.
 *
 * Matrices are gemm.h's: row-major and packed. The libraries read column-major, and a row-major
 * matrix is its transpose in column-major: so they are asked for C' = B' A', in which nothing is
 * transposed and B comes first. Where a library only multiplies "TN" (`needs_b_by_columns`), it is
 * given B by columns, n rows of k elements.
 *
 * One thread uses this at a time.
 */
#pragma once

#include "harness/base/status.h"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What both tables begin with; cuBLASLt's functions of these have the types of cuBLAS's. */
struct cublas_head {
    char version[32]; /* "13.1.0" */
    __typeof__(&cublasGetProperty) property;
    __typeof__(&cublasGetStatusString) status_text;
    bool is_open;
    char refusal[480]; /* why not, since the first attempt */
};

struct cublas {
    struct cublas_head head;
    __typeof__(&cublasCreate_v2) create;
    __typeof__(&cublasDestroy_v2) destroy;
    __typeof__(&cublasSetStream_v2) set_stream;
    __typeof__(&cublasSetWorkspace_v2) set_workspace;
    cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                               const void *, const void *, cudaDataType, int, const void *,
                               cudaDataType, int, const void *, void *, cudaDataType, int,
                               cublasComputeType_t, cublasGemmAlgo_t);
    cublasStatus_t (*multiply_batch)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void *, const void *, cudaDataType, int, long long,
                                     const void *, cudaDataType, int, long long, const void *,
                                     void *, cudaDataType, int, long long, int, cublasComputeType_t,
                                     cublasGemmAlgo_t);
};

struct cublaslt {
    struct cublas_head head;
    __typeof__(&cublasLtCreate) create;
    __typeof__(&cublasLtDestroy) destroy;
    __typeof__(&cublasLtMatmulDescCreate) create_operation;
    __typeof__(&cublasLtMatmulDescSetAttribute) set_operation;
    __typeof__(&cublasLtMatmulDescDestroy) destroy_operation;
    __typeof__(&cublasLtMatrixLayoutCreate) create_layout;
    __typeof__(&cublasLtMatrixLayoutSetAttribute) set_layout;
    __typeof__(&cublasLtMatrixLayoutDestroy) destroy_layout;
    __typeof__(&cublasLtMatmulPreferenceCreate) create_preference;
    __typeof__(&cublasLtMatmulPreferenceSetAttribute) set_preference;
    __typeof__(&cublasLtMatmulPreferenceDestroy) destroy_preference;
    __typeof__(&cublasLtMatmulAlgoGetHeuristic) find_algorithms;
    __typeof__(&cublasLtMatmulAlgoConfigGetAttribute) ask_algorithm;
    __typeof__(&cublasLtMatmul) multiply;
};

/* C = A B, `batch` times; in which types is for the library. */
struct cublas_product {
    const char *type_name; /* for sentences: "bf16" */
    cudaDataType_t element, sum, scale;
    cublasComputeType_t compute;
    bool needs_b_by_columns; /* b is then n x k, row-major */
    int64_t m, n, k, batch;
    const void *a, *b;
    void *c;
};

/* Where a product is queued. */
struct cublas_place {
    const char *device; /* for sentences: "cuda:0" */
    void *stream;       /* a cudaStream_t */
    void *workspace;    /* device memory, aligned to 256 bytes */
    size_t workspace_bytes;
};

enum { CUBLASLT_MOST_CANDIDATES = 16 };

/* A product as cuBLASLt wants it described, and the ways to compute it that it proposes. */
struct cublaslt_plan {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t candidates[CUBLASLT_MOST_CANDIDATES]; /* likely best first */
    int count;
};

struct cublas_symbol {
    const char *name;
    size_t offset; /* of the table's pointer to it */
};

C_API_BEGIN

/* Opens stem.so.N ("libcublas"), first of the CUDA that ridge was built with, then of the others
 * from 13 to 11, by the loader's rules and in CUDA_HOME, CUDA_PATH and /usr/local/cuda, and fills a
 * table that ends with an empty name. STATUS_SKIP with the remedy where there is none or it lacks a
 * function. */
enum status cublas_load(const char *library, const char *stem, const struct cublas_symbol *symbols,
                        void *table);

/* The same once, with its version and the words for its errors; later calls give the same answer.
 * `table` begins with a head. */
enum status cublas_open_once(const char *library, const char *stem,
                             const struct cublas_symbol *symbols, void *table);

/* The libraries, opened at the first call; the same answer at later calls. */
enum status cublas_open(const struct cublas **library);
enum status cublaslt_open(const struct cublaslt **library);

/* What a call of that library answered: STATUS_SKIP where it does not offer what is asked for on
 * this device, STATUS_DEVICE for whatever else, with the library's word for it. */
enum status cublas_check(const struct cublas_head *head, cublasStatus_t code, const char *call,
                         const char *device);

/* Queues the product. Waits for nothing, unless stream or workspace are new to the library. */
enum status cublas_multiply(const struct cublas_place *place, const struct cublas_product *product);

/* Describes the product and asks for candidates. Cleared by cublaslt_plan_clear, also after a
 * failure. STATUS_SKIP where the library has none. */
enum status cublaslt_plan(const struct cublas_place *place, const struct cublas_product *product,
                          struct cublaslt_plan *plan);
void cublaslt_plan_clear(struct cublaslt_plan *plan);

/* Queues the product by one candidate. Waits for nothing. */
enum status cublaslt_multiply(const struct cublas_place *place,
                              const struct cublas_product *product,
                              const struct cublaslt_plan *plan, int candidate);

/* "algorithm 66, tile 128x256, 4 stages of 64, 32 MiB workspace". */
void cublaslt_describe(const struct cublaslt_plan *plan, int candidate, char *text, size_t size);

/* Names of cuBLASLt's numbers, "128x256" and "64x4"; NULL for those that its header does not name
 * (made from the header when ridge is built). */
const char *cublaslt_tile_name(uint32_t tile);
const char *cublaslt_stages_name(uint32_t stages);

C_API_END
