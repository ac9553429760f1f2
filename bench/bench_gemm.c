/* Why a matrix product lives under the compute roof, rung by rung, and whether the BLAS of this
 * machine is the one that it should use.
 *
 * Varies   the element, the shape, the batch, the threads.
 * Times    one product (of the slow rungs, a slab of its rows), operands as warm as they get.
 * Counts   2 m n k operations, and each operand once: what a perfect cache would move.
 * Checks   Freivalds with three vectors, sampled elements, corners and edges, in double; small
 *          products whole.
 * Ceiling  the rate of the units; of small and thin shapes the bandwidth of the operands' level.
 */
#include "harness/measure/bench.h"
#include "harness/measure/product_check.h"
#include "kernels/gemm/gemm.h"

#include <math.h>

enum { STREAM_A = 11, STREAM_B = 12 };

struct gemm {
    int64_t dtype, shape, batch, threads; /* varied */
    double amplitude;
    int64_t units;
    struct gemm_args args;
    struct product product;
};

/* Values of the narrow types are the whole numbers -most .. most - 1, so few that every sum stays
 * exact in f32 or int32, in whatever order and however a Tensor Core rounds: up to k = 2^17. */
static const struct {
    enum element element, sum;
    double most;      /* 0: any number in [-1, 1) */
    double half_step; /* of the sums' rounding; 0: exact */
} types[GEMM_TYPE_COUNT] = {
    [GEMM_F32] = {ELEMENT_F32, ELEMENT_F32, 0, 0x1p-24},
    [GEMM_F64] = {ELEMENT_F64, ELEMENT_F64, 0, 0x1p-53},
    [GEMM_BF16] = {ELEMENT_BF16, ELEMENT_F32, 8, 0},
    [GEMM_INT8] = {ELEMENT_INT8, ELEMENT_INT32, 128, 0},
    [GEMM_F16] = {ELEMENT_F16, ELEMENT_F32, 64, 0},
    [GEMM_TF32] = {ELEMENT_F32, ELEMENT_F32, 64, 0},
    [GEMM_E4M3] = {ELEMENT_E4M3, ELEMENT_F32, 8, 0},
    [GEMM_E5M2] = {ELEMENT_E5M2, ELEMENT_F32, 8, 0},
};

static void values(const struct gemm *s, int stream, int64_t first, int64_t count, double *out)
{
    const double step = types[s->dtype].most;
    for (int64_t i = 0; i < count; i++) {
        const double v = value_at((uint64_t)stream, first + i);
        out[i] = s->amplitude * (step > 0 ? floor(v * step) : v);
    }
}

static void values_of_a(const void *state, int64_t first, int64_t count, double *out)
{
    values(state, STREAM_A, first, count, out);
}

static void values_of_b(const void *state, int64_t first, int64_t count, double *out)
{
    values(state, STREAM_B, first, count, out);
}

static struct gemm_args shape_of(const struct gemm *s)
{
    return (struct gemm_args){.type = (enum gemm_type)s->dtype,
                              .m = axis_shape_m(s->shape),
                              .n = axis_shape_n(s->shape),
                              .k = axis_shape_k(s->shape),
                              .batch = s->batch};
}

static enum status admit(const void *state, const struct device_info *info)
{
    const struct gemm_args args = shape_of(state);
    const double most_exact = 1 << 17;
    (void)info;
    if (args.type >= GEMM_BF16 && (double)args.k > most_exact)
        return FAIL(STATUS_BAD_ARGUMENT, "k=%lld: beyond 131072, sums of %s could overflow",
                    (long long)args.k, gemm_type_names[args.type]);
    return STATUS_OK;
}

static enum status supports(const void *state, const struct kernel *kernel)
{
    const struct gemm_args args = shape_of(state);
    return kernel->supports ? kernel->supports(&args) : STATUS_OK;
}

/* Twice the operands leave room for packed copies. */
static double buffer_bytes(const void *state, const struct device_info *info)
{
    const struct gemm_args args = shape_of(state);
    (void)info;
    return 2 * gemm_operand_bytes(&args);
}

/* A sum of k products of values that are uniform in [-1, 1) is about sqrt(k) / 3; each of its k
 * roundings is at most half a step of that, and they add up like a random walk. 8 of those. */
static void expect(struct gemm *s)
{
    const double k = (double)s->args.k, most = fmax(1, types[s->dtype].most);
    const double scale = most * most * fmax(1, sqrt(k) / 3);
    const double tolerance = 8 * types[s->dtype].half_step * sqrt(k);
    s->product = (struct product){
        s->args.m,           s->args.n, s->args.k, s->args.batch, values_of_a, values_of_b,
        types[s->dtype].sum, s->args.c, scale,     tolerance,     NULL,        NULL};
}

static enum status setup(struct bench_case *c)
{
    struct gemm *s = c->state;
    struct gemm_args *g = &s->args;
    *g = shape_of(s);
    s->amplitude = c->amplitude;
    const enum element element = types[s->dtype].element;
    TRY(case_input(c, element, g->batch * g->m * g->k, values_of_a, &g->a));
    TRY(case_input(c, element, g->batch * g->k * g->n, values_of_b, &g->b));
    TRY(case_output(c, types[s->dtype].sum, g->batch * g->m * g->n, &g->c));
    if (c->kernel->workspace_bytes && c->kernel->workspace_bytes(g, (int)s->threads))
        TRY(case_workspace(c, c->kernel->workspace_bytes(g, (int)s->threads), &g->workspace));
    s->units = c->kernel->units ? c->kernel->units(g) : 1;
    expect(s);
    return product_prepare(c, &s->product);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    const struct gemm *s = c->state;
    return c->kernel->launch(c->device, &s->args, first_unit, unit_count);
}

static enum status check(struct bench_case *c, struct check *check)
{
    const struct gemm *s = c->state;
    int64_t first, count;
    gemm_unit_rows(c->kernel, &s->args, c->checked_unit, &first, &count);
    return product_check(c, &s->product, first, count, check);
}

static struct work work(const void *state)
{
    const struct gemm_args args = shape_of(state);
    const double bytes = gemm_operand_bytes(&args);
    return (struct work){.bytes = bytes, .bus_bytes = bytes, .operations = gemm_operations(&args)};
}

static int64_t units(const void *state)
{
    return ((const struct gemm *)state)->units;
}

static void describe(const struct bench_case *c, char *text, size_t size)
{
    const struct gemm *s = c->state;
    if (c->kernel->describe)
        c->kernel->describe(&s->args, (int)s->threads, text, size);
}

static bool traffic(const struct bench_case *c, struct kernel_traffic *traffic)
{
    const struct gemm_args args = shape_of(c->state); /* also before setup() */
    return c->kernel->traffic && c->kernel->traffic(&args, traffic);
}

const struct bench bench_gemm = {
    .name = "bench_gemm",
    .question = "How near does a matrix product come to the compute roof, and what does each idea "
                "add?",
    .counting = "operations: 2 m n k; bytes: each operand once, (m k + k n) elements and m n sums",
    .family = FAMILY_GEMM,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct gemm, dtype, gemm_type_names, "f32,f64",
                       "the element; bf16, f16, tf32, fp8 are summed in f32, int8 in int32"),
            AXIS(struct gemm, shape, AXIS_SHAPE, "128..2048*4", "m x n x k, or n for a cube"),
            AXIS(struct gemm, batch, AXIS_COUNT, "1", "independent products of that shape"),
            AXIS(struct gemm, threads, AXIS_THREADS, "1,all", "threads, pinned"),
        },
    .accumulators = gemm_sum_names,
    .caches = CACHES_WARM,
    .state_bytes = sizeof(struct gemm),
    .admit = admit,
    .supports = supports,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
    .units = units,
    .describe = describe,
    .traffic = traffic,
};
