/* The CUDA ladder of the tensor family: one rung, which asks the GPU whether it has the
 * instruction. */
#include "harness/measure/device_cuda.h"
#include "kernels/intensity/tensor.h"
#include "kernels/set_cuda.h"

#include <stdio.h>

static enum status launch(struct device *device, const void *untyped, int64_t first_unit,
                          int64_t unit_count)
{
    const struct tensor_cuda_args *args = untyped;
    const int capability = device_info(device)->capability;
    char what[60];
    (void)first_unit;
    if (!tensor_cuda_supports(args->type, capability))
        return FAIL(STATUS_SKIP,
                    "compute capability %d.%d has no mma.sync instruction of its own for %s",
                    capability / 10, capability % 10, tensor_type_names[args->type]);
    snprintf(what, sizeof(what), "tensor chains %s, %lld steps", tensor_type_names[args->type],
             (long long)args->steps);
    for (int64_t i = 0; i < unit_count; i++)
        TRY(device_cuda_launched(device, tensor_cuda_1_chains(args, device_cuda_stream(device)),
                                 what, 0));
    return STATUS_OK;
}

static const struct kernel chains = {
    .name = "mma_sync",
    .idea = "eight independent products per warp, one after the other, in registers",
    .limit = "the instruction: this is the throughput of mma.sync, not the peak of the units",
    .launch = launch,
};

const struct kernel *const tensor_cuda_ladder[] = {&chains, NULL};
