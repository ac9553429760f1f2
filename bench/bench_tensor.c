/* What mma.sync delivers, per element type: the price list of the Tensor Cores as one instruction
 * reaches them.
 *
 * Varies   what is multiplied (and summed in), the products in a row.
 * Times    chains of matrix products in registers, all multiprocessors busy; nothing is loaded.
 * Counts   2 x 16 x 8 x depth operations per product of a warp; the bytes are the stored sums.
 * Checks   every sum, exactly: the operands are -1, 0 and 1.
 * Ceiling  the rate of the instruction. On 9.0 and 10.0 the units' own is higher: a label says
 *          "mma.sync throughput", never "peak".
 */
#include "harness/measure/bench.h"
#include "kernels/intensity/tensor.h"

enum { SEED = 12345 };

struct tensor {
    int64_t dtype, steps; /* varied */
    struct tensor_cuda_args args;
};

static const enum element sums[TENSOR_CUDA_TYPE_COUNT] = {
    [TENSOR_CUDA_F64] = ELEMENT_F64,  [TENSOR_CUDA_TF32] = ELEMENT_F32,
    [TENSOR_CUDA_F16] = ELEMENT_F32,  [TENSOR_CUDA_F16_SUMS] = ELEMENT_F16,
    [TENSOR_CUDA_BF16] = ELEMENT_F32, [TENSOR_CUDA_INT8] = ELEMENT_INT32,
    [TENSOR_CUDA_E4M3] = ELEMENT_F32, [TENSOR_CUDA_E5M2] = ELEMENT_F32,
};

static struct tensor_cuda_args args_of(const struct tensor *s, int multiprocessors)
{
    return (struct tensor_cuda_args){.type = (enum tensor_cuda_type)s->dtype,
                                     .blocks = tensor_blocks(multiprocessors),
                                     .steps = s->steps,
                                     .seed = SEED};
}

static int64_t sum_count(const struct tensor_cuda_args *args)
{
    return args->blocks * TENSOR_CUDA_WARPS * TENSOR_CUDA_CHAINS * TENSOR_CUDA_M * TENSOR_CUDA_N;
}

/* Types that alternate end at zero after an even number of steps, which a kernel that does nothing
 * would also write. */
static enum status admit(const void *state, const struct device_info *info)
{
    const struct tensor *s = state;
    (void)info;
    if (s->steps > TENSOR_CUDA_MOST_STEPS || s->steps % 2 == 0)
        return FAIL(STATUS_BAD_ARGUMENT, "steps=%lld: must be odd and at most %d",
                    (long long)s->steps, TENSOR_CUDA_MOST_STEPS - 1);
    return STATUS_OK;
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    const struct tensor *s = state;
    const struct tensor_cuda_args args = args_of(s, info->multiprocessors);
    return (double)sum_count(&args) * (double)element_bytes(sums[s->dtype]);
}

static enum status setup(struct bench_case *c)
{
    struct tensor *s = c->state;
    s->args = args_of(s, device_info(c->device)->multiprocessors);
    return case_output(c, sums[s->dtype], sum_count(&s->args), &s->args.out);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    const struct tensor *s = c->state;
    return c->kernel->launch(c->device, &s->args, first_unit, unit_count);
}

static void expected(const void *state, int64_t first, int64_t count, double *out)
{
    const struct tensor *s = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = tensor_expected(&s->args, first + i);
}

static enum status check(struct bench_case *c, struct check *check)
{
    const struct tensor *s = c->state;
    return case_expect(c, sums[s->dtype], sum_count(&s->args), s->args.out, expected, 1, 0, check);
}

static struct work work(const void *state)
{
    const struct tensor *s = state;
    const double bytes = (double)sum_count(&s->args) * (double)element_bytes(sums[s->dtype]);
    return (struct work){
        .bytes = bytes, .bus_bytes = bytes, .operations = tensor_operations(&s->args)};
}

const struct bench bench_tensor = {
    .name = "bench_tensor",
    .question = "How many operations per second does mma.sync deliver, for each type?",
    .counting = "operations: 2 x 16 x 8 x depth per product of a warp; bytes: the stored sums",
    .family = FAMILY_TENSOR,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct tensor, dtype, tensor_type_names, "f64,tf32,f16,bf16,int8",
                       "what is multiplied; f16_sums: f16 summed in f16"),
            AXIS(struct tensor, steps, AXIS_COUNT, "4097", "products in a row; odd"),
        },
    .accumulators = tensor_sum_names,
    .caches = CACHES_WARM,
    .state_bytes = sizeof(struct tensor),
    .admit = admit,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
};
