/* The peer cublaslt: what a program gets that lets cuBLASLt propose ways to multiply, times each
 * and keeps the fastest. This is the Tensor Cores' ceiling as far as NVIDIA's own code reaches it.
 *
 * Traffic per operation: the library's to know. The candidates are tried at the first launch of a
 * shape, which is the one that the harness checks and does not time; the choice stays for the
 * process. int8 and fp8 are multiplied by the library where B lies by columns alone: then a copy of
 * B that does is made at the same moment, outside of what is timed, in the workspace. */
#include "harness/measure/device_cuda.h"
#include "kernels/gemm/gemm_cuda_9_cublas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Candidates come in the order of their expected speed, so those left out are the slow ones. */
static const double MOST_TRIAL_SECONDS = 2;
enum { BLOCK = 64, TRIAL_PASSES = 3 };

/* What was found out about a shape. */
struct choice {
    struct choice *next;
    struct gemm_args shape; /* type, m, n, k, batch alone */
    struct cublaslt_plan plan;
    int best, tried; /* a candidate; how many were timed */
    bool has_b_copy; /* B lies by columns in the workspace of the case that is set up now */
};

/* The choices of this process. All are kept: none may have to be made anew while it is timed. */
static struct {
    struct choice *first;
    bool is_registered;
} choices;

static bool needs_b_by_columns(enum gemm_type type)
{
    return type == GEMM_INT8 || type == GEMM_E4M3 || type == GEMM_E5M2;
}

static struct choice *find_choice(const struct gemm_args *g)
{
    for (struct choice *choice = choices.first; choice; choice = choice->next) {
        const struct gemm_args *s = &choice->shape;
        if (s->type == g->type && s->m == g->m && s->n == g->n && s->k == g->k &&
            s->batch == g->batch)
            return choice;
    }
    return NULL;
}

static void free_choice(struct choice *choice)
{
    cublaslt_plan_clear(&choice->plan);
    free(choice);
}

static void release_choices(void)
{
    while (choices.first) {
        struct choice *choice = choices.first;
        choices.first = choice->next;
        free_choice(choice);
    }
}

/* ---- B by columns, one byte per element, by the host: once per case, and no call more to trust.
 */

static void *b_copy(const struct gemm_args *g)
{
    return (char *)g->workspace + GEMM_CUBLAS_WORKSPACE_BYTES;
}

static void transpose(const char *from, int64_t rows, int64_t columns, char *to)
{
    for (int64_t i0 = 0; i0 < rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 < columns; j0 += BLOCK)
            for (int64_t i = i0; i < rows && i < i0 + BLOCK; i++)
                for (int64_t j = j0; j < columns && j < j0 + BLOCK; j++)
                    to[j * rows + i] = from[i * columns + j];
}

static enum status copy_matrices(struct device *device, const struct gemm_args *g, char *rows,
                                 char *columns)
{
    const int64_t bytes = g->k * g->n;
    for (int64_t i = 0; i < g->batch; i++) {
        TRY(device_download(device, rows, (const char *)g->b + i * bytes, (size_t)bytes));
        transpose(rows, g->k, g->n, columns);
        TRY(device_upload(device, (char *)b_copy(g) + i * bytes, columns, (size_t)bytes));
    }
    return STATUS_OK;
}

static enum status copy_b(struct device *device, const struct gemm_args *g)
{
    char *both = malloc((size_t)(2 * g->k * g->n));
    if (!both)
        return FAIL(STATUS_NO_MEMORY, "no memory for a transposed B of %lldx%lld", (long long)g->k,
                    (long long)g->n);
    const enum status status = copy_matrices(device, g, both, both + g->k * g->n);
    free(both);
    return status;
}

static struct cublas_product product_of(const struct gemm_args *g)
{
    struct cublas_product product = gemm_cublas_product(g);
    product.needs_b_by_columns = needs_b_by_columns(g->type);
    if (product.needs_b_by_columns)
        product.b = b_copy(g);
    return product;
}

/* ---- The candidates. */

/* One run loads the kernel, the second one counts. A candidate that the library refuses takes
 * endless time; what the device reports is an error. */
static enum status time_candidate(struct device *device, const struct gemm_args *g,
                                  const struct cublaslt_plan *plan, int candidate, double *seconds)
{
    const struct cublas_place place = gemm_cublas_place(device, g);
    const struct cublas_product product = product_of(g);
    *seconds = INFINITY;
    if (cublaslt_multiply(&place, &product, plan, candidate) != STATUS_OK)
        return device_finish(device);
    TRY(gemm_cublas_queued(device, g, "cublaslt"));
    TRY(device_finish(device));
    TRY(device_clock_start(device));
    if (cublaslt_multiply(&place, &product, plan, candidate) != STATUS_OK)
        return device_finish(device);
    TRY(gemm_cublas_queued(device, g, "cublaslt"));
    return device_clock_stop(device, seconds);
}

/* In passes, each over all candidates, so that a clock that still rises favours none; the fastest
 * of its runs counts. */
static enum status pick(struct device *device, const struct gemm_args *g, struct choice *choice)
{
    double least[CUBLASLT_MOST_CANDIDATES], sum_seconds = 0, seconds;
    for (int i = 0; i < choice->plan.count; i++)
        least[i] = INFINITY;
    for (int pass = 0; pass < TRIAL_PASSES; pass++)
        for (int i = 0; i < choice->plan.count && sum_seconds < MOST_TRIAL_SECONDS; i++) {
            if (pass > 0 && !isfinite(least[i]))
                continue; /* refused before */
            TRY(time_candidate(device, g, &choice->plan, i, &seconds));
            if (!isfinite(seconds))
                continue;
            choice->tried += !isfinite(least[i]);
            sum_seconds += 2 * seconds;
            least[i] = fmin(least[i], seconds);
        }
    for (int i = 0; i < choice->plan.count; i++)
        if (least[i] < least[choice->best])
            choice->best = i;
    if (choice->tried > 0)
        return STATUS_OK;
    char why[300];
    snprintf(why, sizeof(why), "%s", error_message());
    return FAIL(STATUS_DEVICE, "none of %d candidates of cuBLASLt for %s, %lldx%lldx%lld, runs: %s",
                choice->plan.count, gemm_type_names[g->type], (long long)g->m, (long long)g->n,
                (long long)g->k, why);
}

static enum status choose(struct device *device, const struct gemm_args *g, struct choice *choice)
{
    const struct cublas_place place = gemm_cublas_place(device, g);
    const struct cublas_product product = product_of(g);
    const enum status status = cublaslt_plan(&place, &product, &choice->plan);
    if (status != STATUS_OK)
        return gemm_cublas_failed(device, status);
    return pick(device, g, choice);
}

/* The library's handle was made before, so this clean-up runs before that of the handle. */
static void keep(struct choice *choice)
{
    if (!choices.is_registered)
        choices.is_registered = atexit(release_choices) == 0;
    choice->next = choices.first;
    choices.first = choice;
}

static enum status make_choice(struct device *device, const struct gemm_args *g,
                               struct choice **found)
{
    struct choice *choice = calloc(1, sizeof(*choice));
    if (!choice)
        return FAIL(STATUS_NO_MEMORY, "no memory for the candidates of cuBLASLt");
    choice->shape = *g;
    const enum status status = choose(device, g, choice);
    if (status != STATUS_OK) {
        free_choice(choice);
        return status;
    }
    keep(choice);
    *found = choice;
    return STATUS_OK;
}

/* A copy of B, and candidates tried, where that has not been done. */
static enum status prepare(struct device *device, const struct gemm_args *g, struct choice **found)
{
    *found = find_choice(g);
    const bool needs_copy = needs_b_by_columns(g->type) && !(*found && (*found)->has_b_copy);
    if (*found && !needs_copy)
        return STATUS_OK;
    TRY(gemm_cublas_offered(device, g));
    if (needs_copy)
        TRY(copy_b(device, g));
    if (!*found)
        TRY(make_choice(device, g, found));
    (*found)->has_b_copy = needs_copy;
    return STATUS_OK;
}

/* ---- The kernel. */

static enum status supports(const void *untyped)
{
    const struct gemm_args *args = untyped;
    const struct cublaslt *library;
    if (args->type == GEMM_E5M2)
        return FAIL(STATUS_SKIP, "cuBLASLt multiplies e5m2 by e4m3 alone, not by e5m2");
    TRY(gemm_cublas_sizes(args, "cuBLASLt"));
    if (needs_b_by_columns(args->type)) /* columns of whole words; of 16 bytes */
        TRY(gemm_cublas_divisible(args, "cuBLASLt", args->type == GEMM_INT8 ? 4 : 16));
    return cublaslt_open(&library);
}

static enum status launch(struct device *device, const void *untyped, int64_t first_unit,
                          int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    struct choice *choice;
    (void)first_unit; /* a unit is a whole product */
    TRY(prepare(device, args, &choice));
    const struct cublas_product product = product_of(args);
    const struct cublas_place place = gemm_cublas_place(device, args);
    for (int64_t i = 0; i < unit_count; i++) {
        const enum status status = cublaslt_multiply(&place, &product, &choice->plan, choice->best);
        if (status != STATUS_OK)
            return gemm_cublas_failed(device, status);
        TRY(gemm_cublas_queued(device, args, "cublaslt"));
    }
    return STATUS_OK;
}

/* Asked once for every workspace, which is new: a copy in an older one is none any more. */
static size_t workspace_bytes(const void *untyped, int thread_count)
{
    const struct gemm_args *g = untyped;
    struct choice *choice = find_choice(g);
    (void)thread_count;
    if (choice)
        choice->has_b_copy = false;
    const int64_t copy_bytes = needs_b_by_columns(g->type) ? g->k * g->n * g->batch : 0;
    return GEMM_CUBLAS_WORKSPACE_BYTES + (size_t)copy_bytes;
}

static void describe(const void *args, int thread_count, char *text, size_t size)
{
    const struct cublaslt *library;
    const struct choice *choice = find_choice(args);
    char candidate[100];
    (void)thread_count;
    text[0] = '\0';
    if (cublaslt_open(&library) != STATUS_OK)
        return;
    snprintf(text, size, "cuBLASLt %s", library->head.version);
    gemm_cublas_note_forced(text, size);
    if (choice) {
        const size_t used = strlen(text);
        cublaslt_describe(&choice->plan, choice->best, candidate, sizeof(candidate));
        snprintf(text + used, size - used, ", %s, fastest of %d%s", candidate, choice->tried,
                 needs_b_by_columns(choice->shape.type) ? ", B by columns" : "");
    }
}

const struct kernel gemm_cuda_cublaslt = {
    .name = "cublaslt",
    .idea = "cuBLASLt, its candidates timed and the fastest kept",
    .launch = launch,
    .is_peer = true,
    .supports = supports,
    .workspace_bytes = workspace_bytes,
    .describe = describe,
};
