/* cuBLASLt: a product is described, the library proposes candidates, the caller picks one. */
#include "kernels/blas/cublas.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cublas_symbol symbols[] = {
    {"cublasLtGetProperty", offsetof(struct cublaslt, head.property)},
    {"cublasLtGetStatusString", offsetof(struct cublaslt, head.status_text)},
    {"cublasLtCreate", offsetof(struct cublaslt, create)},
    {"cublasLtDestroy", offsetof(struct cublaslt, destroy)},
    {"cublasLtMatmulDescCreate", offsetof(struct cublaslt, create_operation)},
    {"cublasLtMatmulDescSetAttribute", offsetof(struct cublaslt, set_operation)},
    {"cublasLtMatmulDescDestroy", offsetof(struct cublaslt, destroy_operation)},
    {"cublasLtMatrixLayoutCreate", offsetof(struct cublaslt, create_layout)},
    {"cublasLtMatrixLayoutSetAttribute", offsetof(struct cublaslt, set_layout)},
    {"cublasLtMatrixLayoutDestroy", offsetof(struct cublaslt, destroy_layout)},
    {"cublasLtMatmulPreferenceCreate", offsetof(struct cublaslt, create_preference)},
    {"cublasLtMatmulPreferenceSetAttribute", offsetof(struct cublaslt, set_preference)},
    {"cublasLtMatmulPreferenceDestroy", offsetof(struct cublaslt, destroy_preference)},
    {"cublasLtMatmulAlgoGetHeuristic", offsetof(struct cublaslt, find_algorithms)},
    {"cublasLtMatmulAlgoConfigGetAttribute", offsetof(struct cublaslt, ask_algorithm)},
    {"cublasLtMatmul", offsetof(struct cublaslt, multiply)},
    {NULL, 0},
};

static struct {
    struct cublaslt library;
    cublasLtHandle_t handle; /* NULL until the first plan */
} cublaslt;

static enum status check(cublasStatus_t code, const char *call, const char *device)
{
    return cublas_check(&cublaslt.library.head, code, call, device);
}

enum status cublaslt_open(const struct cublaslt **library)
{
    *library = &cublaslt.library;
    return cublas_open_once("cuBLASLt", "libcublasLt", symbols, &cublaslt.library);
}

/* Runs before CUDA's own clean-up, which was registered earlier. */
static void destroy_handle(void)
{
    cublaslt.library.destroy(cublaslt.handle);
}

static enum status need_handle(const struct cublas_place *place)
{
    cublasLtHandle_t handle = NULL;
    if (cublaslt.handle)
        return STATUS_OK;
    TRY(check(cublaslt.library.create(&handle), "cublasLtCreate", place->device));
    cublaslt.handle = handle;
    atexit(destroy_handle);
    return STATUS_OK;
}

/* ---- Describing a product. */

static enum status make_operation(const struct cublas_place *place, const struct cublas_product *p,
                                  struct cublaslt_plan *plan)
{
    const struct cublaslt *library = &cublaslt.library;
    const cublasOperation_t first = p->needs_b_by_columns ? CUBLAS_OP_T : CUBLAS_OP_N;
    TRY(check(library->create_operation(&plan->operation, p->compute, p->scale),
              "cublasLtMatmulDescCreate", place->device));
    return check(
        library->set_operation(plan->operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first)),
        "cublasLtMatmulDescSetAttribute", place->device);
}

/* A matrix as the library sees it: columns of `rows` elements without gaps. */
static enum status make_layout(const struct cublas_place *place, cublasLtMatrixLayout_t *layout,
                               cudaDataType_t type, int64_t rows, int64_t columns, int64_t batch)
{
    const struct cublaslt *library = &cublaslt.library;
    const int32_t count = (int32_t)batch;
    const int64_t stride = rows * columns;
    const char *const set = "cublasLtMatrixLayoutSetAttribute";
    TRY(check(library->create_layout(layout, type, (uint64_t)rows, (uint64_t)columns, rows),
              "cublasLtMatrixLayoutCreate", place->device));
    TRY(check(
        library->set_layout(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
        set, place->device));
    return check(library->set_layout(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                     sizeof(stride)),
                 set, place->device);
}

static enum status make_layouts(const struct cublas_place *place, const struct cublas_product *p,
                                struct cublaslt_plan *plan)
{
    const int64_t b_rows = p->needs_b_by_columns ? p->k : p->n;
    const int64_t b_columns = p->needs_b_by_columns ? p->n : p->k;
    TRY(make_layout(place, &plan->b, p->element, b_rows, b_columns, p->batch));
    TRY(make_layout(place, &plan->a, p->element, p->k, p->m, p->batch));
    return make_layout(place, &plan->c, p->sum, p->n, p->m, p->batch);
}

static enum status ask(const struct cublas_place *place, cublasLtMatmulPreference_t preference,
                       struct cublaslt_plan *plan)
{
    const struct cublaslt *library = &cublaslt.library;
    const uint64_t bytes = place->workspace_bytes;
    TRY(check(library->set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                      sizeof(bytes)),
              "cublasLtMatmulPreferenceSetAttribute", place->device));
    return check(library->find_algorithms(cublaslt.handle, plan->operation, plan->b, plan->a,
                                          plan->c, plan->c, preference, CUBLASLT_MOST_CANDIDATES,
                                          plan->candidates, &plan->count),
                 "cublasLtMatmulAlgoGetHeuristic", place->device);
}

/* Some of what is returned may be marked as unusable. */
static void keep_usable(struct cublaslt_plan *plan)
{
    int kept = 0;
    for (int i = 0; i < plan->count; i++)
        if (plan->candidates[i].state == CUBLAS_STATUS_SUCCESS)
            plan->candidates[kept++] = plan->candidates[i];
    plan->count = kept;
}

enum status cublaslt_plan(const struct cublas_place *place, const struct cublas_product *product,
                          struct cublaslt_plan *plan)
{
    const struct cublaslt *library;
    cublasLtMatmulPreference_t preference = NULL;
    *plan = (struct cublaslt_plan){0};
    TRY(cublaslt_open(&library));
    TRY(need_handle(place));
    TRY(make_operation(place, product, plan));
    TRY(make_layouts(place, product, plan));
    TRY(check(library->create_preference(&preference), "cublasLtMatmulPreferenceCreate",
              place->device));
    const enum status status = ask(place, preference, plan);
    library->destroy_preference(preference);
    TRY(status);
    keep_usable(plan);
    if (plan->count == 0)
        return FAIL(STATUS_SKIP, "cuBLASLt %s proposes nothing for %s, %lldx%lldx%lld, on %s",
                    library->head.version, product->type_name, (long long)product->m,
                    (long long)product->n, (long long)product->k, place->device);
    return STATUS_OK;
}

void cublaslt_plan_clear(struct cublaslt_plan *plan)
{
    const struct cublaslt *library = &cublaslt.library;
    cublasLtMatrixLayout_t layouts[] = {plan->a, plan->b, plan->c};
    for (int i = 0; i < 3; i++)
        if (layouts[i])
            library->destroy_layout(layouts[i]);
    if (plan->operation)
        library->destroy_operation(plan->operation);
    *plan = (struct cublaslt_plan){0};
}

/* ---- Computing it. */

enum status cublaslt_multiply(const struct cublas_place *place, const struct cublas_product *p,
                              const struct cublaslt_plan *plan, int candidate)
{
    static const struct {
        double f64[2];
        float f32[2];
        int32_t int32[2];
    } scales = {{1, 0}, {1, 0}, {1, 0}};
    const void *one = scales.f32, *zero = scales.f32 + 1;
    if (p->scale == CUDA_R_64F)
        one = scales.f64, zero = scales.f64 + 1;
    else if (p->scale == CUDA_R_32I)
        one = scales.int32, zero = scales.int32 + 1;
    return check(cublaslt.library.multiply(cublaslt.handle, plan->operation, one, p->b, plan->b,
                                           p->a, plan->a, zero, p->c, plan->c, p->c, plan->c,
                                           &plan->candidates[candidate].algo, place->workspace,
                                           place->workspace_bytes, place->stream),
                 "cublasLtMatmul", place->device);
}

static uint32_t ask_algorithm(const struct cublaslt_plan *plan, int candidate,
                              cublasLtMatmulAlgoConfigAttributes_t attribute)
{
    uint32_t value = 0;
    size_t written = 0;
    const cublasStatus_t code = cublaslt.library.ask_algorithm(
        &plan->candidates[candidate].algo, attribute, &value, sizeof(value), &written);
    return code == CUBLAS_STATUS_SUCCESS ? value : 0;
}

/* ", 4 stages of 64" for "64x4", 64 elements deep each; of "64xAUTO" there are as many as fit. */
static void describe_stages(uint32_t stages, char *text, size_t size)
{
    int depth = 0, count = 0;
    const char *name = cublaslt_stages_name(stages);
    text[0] = '\0';
    if (!name && stages)
        snprintf(text, size, ", stages %u", (unsigned)stages);
    else if (name && sscanf(name, "%dx%d", &depth, &count) == 2)
        snprintf(text, size, ", %d stages of %d", count, depth);
    else if (depth > 0)
        snprintf(text, size, ", stages of %d", depth);
}

void cublaslt_describe(const struct cublaslt_plan *plan, int candidate, char *text, size_t size)
{
    char stages[32], tile[32];
    const uint32_t tile_id = ask_algorithm(plan, candidate, CUBLASLT_ALGO_CONFIG_TILE_ID);
    const uint32_t splits = ask_algorithm(plan, candidate, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
    const char *tile_name = cublaslt_tile_name(tile_id);
    const double mib = 1 << 20;
    describe_stages(ask_algorithm(plan, candidate, CUBLASLT_ALGO_CONFIG_STAGES_ID), stages,
                    sizeof(stages));
    snprintf(tile, sizeof(tile), "%u", (unsigned)tile_id);
    int used = snprintf(text, size, "algorithm %u, tile %s%s, %.3g MiB workspace",
                        (unsigned)ask_algorithm(plan, candidate, CUBLASLT_ALGO_CONFIG_ID),
                        tile_name ? tile_name : tile, stages,
                        (double)plan->candidates[candidate].workspaceSize / mib);
    if (splits > 1 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", k split by %u", (unsigned)splits);
}
