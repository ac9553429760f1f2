#include "kernels/gemm/gemm.h"
#include "kernels/intensity/intensity.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "kernels/stream/stream.h"

#include <stddef.h>

/* The one variable at file scope here: which instructions the kernels use is a property of the
 * process, chosen once before the first launch, and a launch has no place to carry it. */
static struct {
    int isa;
    unsigned dots; /* bit i: row i of isa_dots */
} chosen;

static const struct kernel *const stream_ladder[] = {
    &stream_cpu_reference,
    &stream_cpu_vector,
    NULL,
};

static const struct kernel *const intensity_ladder[] = {
    &intensity_cpu_reference,
    &intensity_cpu_vector,
    NULL,
};

static const struct kernel *const gemm_ladder[] = {
    &gemm_cpu_naive,  &gemm_cpu_order, &gemm_cpu_tiles,
    &gemm_cpu_packed, &gemm_cpu_dot,   &gemm_cpu_openblas,
    &gemm_cpu_blis,   &gemm_cpu_blas,  NULL,
};

const struct kernel_set cpu_kernels = {.family = {
                                           [FAMILY_STREAM] = stream_ladder,
                                           [FAMILY_INTENSITY] = intensity_ladder,
                                           [FAMILY_GEMM] = gemm_ladder,
                                       }};

enum status kernels_cpu_choose(const char *isa_name)
{
    TRY(isa_choose(isa_name, &chosen.isa));
    chosen.dots = 0;
    for (int i = 0; isa_dots[i].name; i++)
        chosen.dots |= isa_dots[i].supported() ? 1u << i : 0;
    return STATUS_OK;
}

int kernels_cpu_isa(void)
{
    return chosen.isa;
}

const char *kernels_cpu_isa_name(void)
{
    return isa_table[chosen.isa].name;
}

int kernels_cpu_has_dot(int index)
{
    return chosen.dots >> index & 1;
}
