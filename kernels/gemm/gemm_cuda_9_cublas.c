/* The peer cublas: what a program gets that calls cuBLAS.
 *
 * Traffic per operation: the library's to know. f32 is multiplied in f32: tf32 only where it is
 * asked for. A batch is one call. fp8 is not offered by this interface, but by cuBLASLt's. */
#include "kernels/gemm/gemm_cuda_9_cublas.h"

#include "harness/measure/device_cuda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the types are to the libraries, and since when there is a unit for them. int8 by the plain
 * cores is older than 7.5, but ridge is not built for those. */
static const struct {
    cudaDataType_t element, sum, scale;
    cublasComputeType_t compute;
    int least_capability;
} types[GEMM_TYPE_COUNT] = {
    [GEMM_F32] = {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0},
    [GEMM_F64] = {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 0},
    [GEMM_BF16] = {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 80},
    [GEMM_INT8] = {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 75},
    [GEMM_F16] = {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0},
    [GEMM_TF32] = {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 80},
    [GEMM_E4M3] = {CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 89},
    [GEMM_E5M2] = {CUDA_R_8F_E5M2, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 89},
};

struct cublas_product gemm_cublas_product(const struct gemm_args *g)
{
    return (struct cublas_product){
        .type_name = gemm_type_names[g->type],
        .element = types[g->type].element,
        .sum = types[g->type].sum,
        .scale = types[g->type].scale,
        .compute = types[g->type].compute,
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .batch = g->batch,
        .a = g->a,
        .b = g->b,
        .c = g->c,
    };
}

struct cublas_place gemm_cublas_place(const struct device *device, const struct gemm_args *g)
{
    return (struct cublas_place){.device = device_info(device)->name,
                                 .stream = device_cuda_stream(device),
                                 .workspace = g->workspace,
                                 .workspace_bytes = GEMM_CUBLAS_WORKSPACE_BYTES};
}

enum status gemm_cublas_offered(const struct device *device, const struct gemm_args *g)
{
    const int least = types[g->type].least_capability, is = device_info(device)->capability;
    if (is < least)
        return FAIL(STATUS_SKIP, "products of %s need compute capability %d.%d, this GPU is %d.%d",
                    gemm_type_names[g->type], least / 10, least % 10, is / 10, is % 10);
    return STATUS_OK;
}

enum status gemm_cublas_queued(struct device *device, const struct gemm_args *g, const char *rung)
{
    /* Where a library splits k, a second kernel adds the parts up: the device counts both. */
    enum { MOST_KERNELS = 2 };
    char what[60];
    snprintf(what, sizeof(what), "gemm %s %s, %lldx%lldx%lld", rung, gemm_type_names[g->type],
             (long long)g->m, (long long)g->n, (long long)g->k);
    for (int i = 0; i < MOST_KERNELS; i++)
        TRY(device_cuda_launched(device, 0, what, gemm_operand_bytes(g)));
    return STATUS_OK;
}

/* A call that a library refuses may have been refused for what a kernel before it did: then the
 * device's own sentence is the better one. */
enum status gemm_cublas_failed(struct device *device, enum status status)
{
    char sentence[480];
    snprintf(sentence, sizeof(sentence), "%s", error_message());
    TRY(device_finish(device));
    return FAIL(status, "%s", sentence);
}

enum status gemm_cublas_divisible(const struct gemm_args *g, const char *library, int by)
{
    if (g->n % by == 0 && g->k % by == 0)
        return STATUS_OK;
    return FAIL(STATUS_SKIP,
                "%s multiplies %s where n and k are multiples of %d, not n=%lld k=%lld", library,
                gemm_type_names[g->type], by, (long long)g->n, (long long)g->k);
}

/* Their integers end at INT_MAX, and so do those of the candidates that cuBLASLt proposes. */
enum status gemm_cublas_sizes(const struct gemm_args *g, const char *library)
{
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"m", g->m}, {"n", g->n}, {"k", g->k}, {"batch", g->batch}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (sizes[i].value > INT_MAX)
            return FAIL(STATUS_SKIP, "%s=%lld is beyond %s, whose integers end at %d",
                        sizes[i].name, (long long)sizes[i].value, library, INT_MAX);
    return STATUS_OK;
}

/* What changes a library's arithmetic from outside: it belongs to the number. */
void gemm_cublas_note_forced(char *text, size_t size)
{
    static const char *const variables[] = {
        "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
        "CUBLAS_EMULATE_DOUBLE_PRECISION", "CUBLAS_EMULATION_STRATEGY"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);
        const size_t used = strlen(text);
        if (value && *value)
            snprintf(text + used, size - used, ", %s=%s", variables[i], value);
    }
}

static enum status supports(const void *untyped)
{
    const struct gemm_args *args = untyped;
    const struct cublas *library;
    if (args->type == GEMM_E4M3 || args->type == GEMM_E5M2)
        return FAIL(STATUS_SKIP, "cublasGemmEx does not multiply %s: cublaslt does",
                    gemm_type_names[args->type]);
    TRY(gemm_cublas_sizes(args, "cuBLAS"));
    if (args->type == GEMM_INT8) /* rows of A and B begin at whole words */
        TRY(gemm_cublas_divisible(args, "cuBLAS", 4));
    return cublas_open(&library);
}

static enum status launch(struct device *device, const void *untyped, int64_t first_unit,
                          int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    const struct cublas_product product = gemm_cublas_product(args);
    const struct cublas_place place = gemm_cublas_place(device, args);
    (void)first_unit; /* a unit is a whole product */
    TRY(gemm_cublas_offered(device, args));
    for (int64_t i = 0; i < unit_count; i++) {
        const enum status status = cublas_multiply(&place, &product);
        if (status != STATUS_OK)
            return gemm_cublas_failed(device, status);
        TRY(gemm_cublas_queued(device, args, "cublas"));
    }
    return STATUS_OK;
}

static size_t workspace_bytes(const void *args, int thread_count)
{
    (void)args, (void)thread_count;
    return GEMM_CUBLAS_WORKSPACE_BYTES;
}

static void describe(const void *args, int thread_count, char *text, size_t size)
{
    const struct cublas *library;
    (void)args, (void)thread_count;
    text[0] = '\0';
    if (cublas_open(&library) != STATUS_OK)
        return;
    snprintf(text, size, "cuBLAS %s", library->head.version);
    gemm_cublas_note_forced(text, size);
}

const struct kernel gemm_cuda_cublas = {
    .name = "cublas",
    .idea = "cublasGemmEx of cuBLAS, which chooses its kernel itself",
    .launch = launch,
    .is_peer = true,
    .supports = supports,
    .workspace_bytes = workspace_bytes,
    .describe = describe,
};
