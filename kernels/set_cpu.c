#include "kernels/intensity/intensity.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "kernels/stream/stream.h"

#include <stddef.h>

/* The one variable at file scope here: which instruction set the kernels use is a property of
 * the process, chosen once before the first launch, and a launch has no place to carry it. */
static int chosen;

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

const struct kernel_set cpu_kernels = {.family = {
                                           [FAMILY_STREAM] = stream_ladder,
                                           [FAMILY_INTENSITY] = intensity_ladder,
                                       }};

enum status kernels_cpu_choose(const char *isa_name)
{
    TRY(isa_choose(isa_name, &chosen));
    return STATUS_OK;
}

int kernels_cpu_isa(void)
{
    return chosen;
}

const char *kernels_cpu_isa_name(void)
{
    return isa_table[chosen].name;
}
