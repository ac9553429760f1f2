/* What the two fakes of NVIDIA's libraries share: products in host memory by the definition, in the
 * real ones' column-major conventions, and failures on demand.
 *
 * RIDGE_FAKE_CUBLAS is the script: fail=cublasLtMatmul:2[:CODE], the 2nd call of that function
 * fails (default 14, an internal error). At the end each library appends a JSON line to the file
 * that RIDGE_FAKE_CUBLAS_REPORT names: calls, products asked for, what was not given back; a
 * program that gave something not back ends with code 97. Nothing is shared with what is tested:
 * elements are decoded here from the definition of their formats.
 */
#pragma once

#include <cublas_v2.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_BLAS_LEAK_EXIT = 97 };

/* Counts the call; what the script wants of it, else `otherwise`. */
cublasStatus_t fake_blas_call(const char *function, cublasStatus_t otherwise);

/* Something opaque that must be given back. */
void *fake_blas_acquire(size_t bytes);
cublasStatus_t fake_blas_give_back(void *thing);
bool fake_blas_is_held(const void *thing);

/* A matrix: column-major, `stride` elements between those of a batch. */
struct fake_matrix {
    cudaDataType_t type;
    const void *elements;
    int64_t rows, columns, leading, stride;
    bool is_transposed;
};

struct fake_product {
    struct fake_matrix a, b, c;
    int64_t batch;
    cublasComputeType_t compute;
    const void *alpha, *beta; /* in the type of `compute` */
    void *workspace;
    size_t workspace_bytes;
};

/* INVALID_VALUE for matrices that do not fit one another or their leading dimensions,
 * NOT_SUPPORTED for types that the real libraries do not combine. */
cublasStatus_t fake_blas_judge(const struct fake_product *product);

/* Judges, notes the product for the report, writes over the workspace, and multiplies. */
cublasStatus_t fake_blas_multiply(const char *function, const struct fake_product *product);

/* For the report. */
void fake_blas_note(const char *function, const struct fake_product *product);
