/* The CUDA ladder of the gemm family: from what a bench asks for to the launch functions. A unit is
 * a whole product, so several units are as many launches. */
#include "harness/measure/device_cuda.h"
#include "kernels/gemm/gemm_cuda.h"
#include "kernels/set_cuda.h"

#include <stdio.h>

typedef int (*gemm_launch)(const struct gemm_args *args, const struct cuda_grid *grid,
                           void *stream);

static enum status launch_gemm(struct device *device, gemm_launch launch, const char *rung,
                               const struct gemm_args *args, int64_t products)
{
    char what[60];
    snprintf(what, sizeof(what), "gemm %s %s, %lldx%lldx%lld", rung, gemm_type_names[args->type],
             (long long)args->m, (long long)args->n, (long long)args->k);
    for (int64_t i = 0; i < products; i++) {
        const int error = launch(args, device_cuda_grid(device), device_cuda_stream(device));
        TRY(device_cuda_launched(device, error, what, gemm_operand_bytes(args)));
    }
    return STATUS_OK;
}

#define RUNG(name, function)                                                                       \
    static enum status launch_##name(struct device *device, const void *args, int64_t first_unit,  \
                                     int64_t unit_count)                                           \
    {                                                                                              \
        (void)first_unit;                                                                          \
        return launch_gemm(device, function, #name, args, unit_count);                             \
    }
RUNG(naive, gemm_cuda_0_naive)
RUNG(coalesced, gemm_cuda_1_coalesced)
RUNG(shared, gemm_cuda_2_shared)
RUNG(registers, gemm_cuda_3_registers)

static enum status launch_mma(struct device *device, const void *untyped, int64_t first_unit,
                              int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    const int capability = device_info(device)->capability;
    (void)first_unit;
    if (!gemm_cuda_mma_supports(args->type, capability))
        return FAIL(STATUS_SKIP,
                    "compute capability %d.%d has no mma.sync instruction of its own for %s",
                    capability / 10, capability % 10, gemm_type_names[args->type]);
    return launch_gemm(device, gemm_cuda_4_mma, "mma", args, unit_count);
}

static enum status supports_plain(const void *untyped)
{
    const struct gemm_args *args = untyped;
    if (args->type <= GEMM_INT8 || args->type == GEMM_F16)
        return STATUS_OK;
    return FAIL(STATUS_SKIP, "the plain cores of a GPU do not multiply %s",
                gemm_type_names[args->type]);
}

static enum status supports_wide(const void *untyped)
{
    const struct gemm_args *args = untyped;
    if (args->type == GEMM_F32 || args->type == GEMM_F64)
        return STATUS_OK;
    return FAIL(STATUS_SKIP, "rung registers is for f32 and f64; rung mma multiplies %s",
                gemm_type_names[args->type]);
}

/* Whether this GPU has the instruction is known at the launch alone. */
static enum status supports_mma(const void *untyped)
{
    const struct gemm_args *args = untyped;
    if (args->type == GEMM_F32)
        return FAIL(STATUS_SKIP, "Tensor Cores do not multiply f32: tf32 is what they read of it");
    if (args->type == GEMM_E4M3 || args->type == GEMM_E5M2)
        return FAIL(STATUS_SKIP,
                    "mma.sync is no instruction of its own for %s on most GPUs: cublaslt "
                    "multiplies fp8",
                    gemm_type_names[args->type]);
    return STATUS_OK;
}

static const struct kernel rungs[] = {
    {.name = "naive",
     .idea = "an element of C per thread, neighbours down a column",
     .limit = "neighbouring threads read and write in different lines: a sector per element",
     .launch = launch_naive,
     .supports = supports_plain},
    {.name = "coalesced",
     .idea = "neighbouring threads take neighbouring columns, so that a warp reads whole lines",
     .limit = "each element is loaded again for every multiply-add, through the L1",
     .launch = launch_coalesced,
     .supports = supports_plain},
    {.name = "shared",
     .idea = "tiles of A and B in shared memory, each loaded once per block",
     .limit = "two loads from shared memory for each multiply-add",
     .launch = launch_shared,
     .supports = supports_plain},
    {.name = "registers",
     .idea = "a tile of C in the registers of each thread, loads of 16 bytes",
     .limit = "the plain cores: Tensor Cores multiply whole matrices",
     .launch = launch_registers,
     .supports = supports_wide},
    {.name = "mma",
     .idea = "mma.sync on fragments by ldmatrix, copies in stages behind it, no bank conflicts",
     .limit = "mma.sync: from 9.0 on the full rate needs wgmma or tcgen05, which the libraries use",
     .launch = launch_mma,
     .supports = supports_mma},
};

const struct kernel *const gemm_cuda_ladder[] = {&rungs[0],           &rungs[1], &rungs[2],
                                                 &rungs[3],           &rungs[4], &gemm_cuda_cublas,
                                                 &gemm_cuda_cublaslt, NULL};
