/* The CUDA ladders: from what a bench asks for to the launch functions of kernels/FAMILY/. */
#include "kernels/set_cuda.h"

#include "harness/measure/device_cuda.h"
#include "kernels/intensity/intensity_cuda.h"
#include "kernels/kernels.h"
#include "kernels/stream/stream_cuda.h"

#include <stdio.h>

/* ---- Streams: one kernel for all passes asked for. */

typedef int (*stream_launch)(const struct stream_args *args, const struct cuda_grid *grid,
                             int64_t passes, void *stream);

static enum status launch_stream(struct device *device, stream_launch launch, const char *rung,
                                 const struct stream_args *args, int64_t passes)
{
    char what[60];
    const double element_bytes = args->type == STREAM_F32 ? sizeof(float) : sizeof(double);
    snprintf(what, sizeof(what), "stream %s %s", rung, stream_op_names[args->op]);
    const int error = launch(args, device_cuda_grid(device), passes, device_cuda_stream(device));
    return device_cuda_launched(device, error, what, (double)args->count * element_bytes);
}

static enum status stream_scalar(struct device *device, const void *args, int64_t first_unit,
                                 int64_t unit_count)
{
    (void)first_unit; /* a unit is a whole pass */
    return launch_stream(device, stream_cuda_0_scalar, "scalar", args, unit_count);
}

static enum status stream_vector(struct device *device, const void *args, int64_t first_unit,
                                 int64_t unit_count)
{
    (void)first_unit;
    return launch_stream(device, stream_cuda_1_vector, "vector", args, unit_count);
}

static enum status stream_unrolled(struct device *device, const void *args, int64_t first_unit,
                                   int64_t unit_count)
{
    (void)first_unit;
    return launch_stream(device, stream_cuda_2_unrolled, "unrolled", args, unit_count);
}

static const struct kernel stream_rungs[] = {
    {.name = "scalar", .idea = "one element per thread and step", .launch = stream_scalar},
    {.name = "vector", .idea = "16 bytes per thread and step", .launch = stream_vector},
    {.name = "unrolled",
     .idea = "several loads of 16 bytes in flight per thread",
     .launch = stream_unrolled},
};

static const struct kernel *const stream_ladder[] = {&stream_rungs[0], &stream_rungs[1],
                                                     &stream_rungs[2], NULL};

/* ---- Intensity: one kernel for all units asked for. */

typedef int (*intensity_launch)(const struct intensity_cuda_args *args, int64_t first_unit,
                                int64_t unit_count, void *stream);

/* Of what a GPU's plain cores have; its dot instructions are those of the Tensor Cores. */
static const struct {
    bool is_here;
    enum intensity_cuda_type type;
    int least_capability;
} intensity_types[INTENSITY_ALL_TYPE_COUNT] = {
    [INTENSITY_F32] = {true, INTENSITY_CUDA_F32, 0},
    [INTENSITY_F64] = {true, INTENSITY_CUDA_F64, 0},
    [INTENSITY_F16X2] = {true, INTENSITY_CUDA_F16, 0},
    [INTENSITY_BF16X2] = {true, INTENSITY_CUDA_BF16, 80},
    [INTENSITY_INT32] = {true, INTENSITY_CUDA_INT32, 0},
};

static enum status supports_intensity(const void *untyped)
{
    const struct intensity_args *args = untyped;
    if (intensity_types[args->type].is_here)
        return STATUS_OK;
    return FAIL(STATUS_SKIP, "no kernel of a GPU's plain cores multiplies %s by dot instructions",
                intensity_type_names[args->type]);
}

static enum status launch_intensity(struct device *device, intensity_launch launch,
                                    const char *rung, const struct intensity_args *common,
                                    int64_t first_unit, int64_t unit_count)
{
    char what[60];
    const char *type = intensity_type_names[common->type];
    const int least = intensity_types[common->type].least_capability;
    const int capability = device_info(device)->capability;
    const struct intensity_cuda_args args = {.common = *common,
                                             .type = intensity_types[common->type].type,
                                             .parts = common->parts,
                                             .from_shared = common->from_shared};
    if (capability < least)
        return FAIL(STATUS_SKIP, "%s needs compute capability %d.%d, this GPU is %d.%d", type,
                    least / 10, least % 10, capability / 10, capability % 10);
    snprintf(what, sizeof(what), "intensity %s %s, %lld multiply-adds", rung, type,
             (long long)common->fmas);
    const int error = launch(&args, first_unit, unit_count, device_cuda_stream(device));
    return device_cuda_launched(device, error, what,
                                (double)(common->count * intensity_element_bytes(common->type)));
}

static enum status intensity_reference(struct device *device, const void *args, int64_t first_unit,
                                       int64_t unit_count)
{
    return launch_intensity(device, intensity_cuda_0_reference, "reference", args, first_unit,
                            unit_count);
}

static enum status intensity_chains_rung(struct device *device, const void *args,
                                         int64_t first_unit, int64_t unit_count)
{
    return launch_intensity(device, intensity_cuda_1_chains, "chains", args, first_unit,
                            unit_count);
}

static const struct kernel intensity_rungs[] = {
    {.name = "reference",
     .idea = "the definition, accumulators in memory",
     .launch = intensity_reference,
     .supports = supports_intensity},
    {.name = "chains",
     .idea = "four chains of 16 bytes per thread that never leave their registers",
     .launch = intensity_chains_rung,
     .supports = supports_intensity},
};

static const struct kernel *const intensity_ladder[] = {&intensity_rungs[0], &intensity_rungs[1],
                                                        NULL};

const struct kernel_set cuda_kernels = {.family = {
                                            [FAMILY_STREAM] = stream_ladder,
                                            [FAMILY_INTENSITY] = intensity_ladder,
                                            [FAMILY_GEMM] = gemm_cuda_ladder,
                                            [FAMILY_TENSOR] = tensor_cuda_ladder,
                                        }};
