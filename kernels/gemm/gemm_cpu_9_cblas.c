/* The peers: what a program gets that calls a BLAS library. They are measured beside our rungs,
 * so that "the machine is slow" and "its library is slow" can be told apart.
 *
 * Traffic per operation: theirs to know; with the packed rung's method, that of each operand once
 * or a few times. A batch is one call after the other. */
#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "kernels/blas/blas.h"
#include "kernels/gemm/gemm.h"

#include <limits.h>

static enum status check_type(const struct gemm_args *args)
{
    if (args->type != GEMM_F32 && args->type != GEMM_F64)
        return FAIL(STATUS_SKIP, "CBLAS multiplies f32 and f64 only, not %s",
                    gemm_type_names[args->type]);
    return STATUS_OK;
}

static enum status check_size(const char *name, int64_t size)
{
    if (size > INT_MAX)
        return FAIL(STATUS_SKIP, "%s=%lld is beyond CBLAS, whose integers end at %d", name,
                    (long long)size, INT_MAX);
    return STATUS_OK;
}

static enum status supports(enum blas_kind kind, const struct gemm_args *args)
{
    struct blas *blas;
    TRY(check_type(args));
    TRY(check_size("m", args->m));
    TRY(check_size("n", args->n));
    TRY(check_size("k", args->k));
    TRY(blas_open(kind, &blas));
    return STATUS_OK;
}

static void multiply_f32(const struct blas *blas, const void *untyped)
{
    const struct gemm_args *g = untyped;
    const float *a = g->a, *b = g->b;
    float *c = g->c;
    for (int64_t i = 0; i < g->batch; i++)
        blas->sgemm(BLAS_ROW_MAJOR, BLAS_AS_IT_LIES, BLAS_AS_IT_LIES, (int)g->m, (int)g->n,
                    (int)g->k, 1, a + i * g->m * g->k, (int)g->k, b + i * g->k * g->n, (int)g->n, 0,
                    c + i * g->m * g->n, (int)g->n);
}

static void multiply_f64(const struct blas *blas, const void *untyped)
{
    const struct gemm_args *g = untyped;
    const double *a = g->a, *b = g->b;
    double *c = g->c;
    for (int64_t i = 0; i < g->batch; i++)
        blas->dgemm(BLAS_ROW_MAJOR, BLAS_AS_IT_LIES, BLAS_AS_IT_LIES, (int)g->m, (int)g->n,
                    (int)g->k, 1, a + i * g->m * g->k, (int)g->k, b + i * g->k * g->n, (int)g->n, 0,
                    c + i * g->m * g->n, (int)g->n);
}

/* A unit is a whole product, so which of them is asked for makes no difference. */
static enum status launch(enum blas_kind kind, struct device *device, const struct gemm_args *args,
                          int64_t unit_count)
{
    struct blas *blas;
    TRY(supports(kind, args));
    TRY(blas_open(kind, &blas));
    const blas_body body = args->type == GEMM_F32 ? multiply_f32 : multiply_f64;
    for (int64_t unit = 0; unit < unit_count; unit++)
        TRY(blas_run(blas, device_info(device)->cpus, team_size(device_team(device)), body, args));
    return STATUS_OK;
}

static void describe(enum blas_kind kind, char *text, size_t size)
{
    struct blas *blas;
    text[0] = '\0';
    if (blas_open(kind, &blas) == STATUS_OK)
        blas_describe(blas, text, size);
}

/* One kernel per library; each of its functions is the one above with the library's kind. */
#define PEER(peer, kind, words)                                                                    \
    static enum status supports_##peer(const void *args)                                           \
    {                                                                                              \
        return supports(kind, args);                                                               \
    }                                                                                              \
    static enum status launch_##peer(struct device *device, const void *args, int64_t first_unit,  \
                                     int64_t unit_count)                                           \
    {                                                                                              \
        (void)first_unit;                                                                          \
        return launch(kind, device, args, unit_count);                                             \
    }                                                                                              \
    static void describe_##peer(const void *args, int thread_count, char *text, size_t size)       \
    {                                                                                              \
        (void)args, (void)thread_count;                                                            \
        describe(kind, text, size);                                                                \
    }                                                                                              \
    const struct kernel gemm_cpu_##peer = {                                                        \
        .name = #peer,                                                                             \
        .idea = words,                                                                             \
        .launch = launch_##peer,                                                                   \
        .is_peer = true,                                                                           \
        .supports = supports_##peer,                                                               \
        .describe = describe_##peer,                                                               \
    };

PEER(openblas, BLAS_OPENBLAS, "cblas_?gemm of OpenBLAS")
PEER(blis, BLAS_BLIS, "cblas_?gemm of BLIS")
PEER(blas, BLAS_GIVEN, "cblas_?gemm of the library that --blas names")
