/* Rung 0: the sums as intensity.h defines them, one lane at a time.
 *
 * Traffic: one element per 2 m operations, as for every rung.
 * What limits it next: a multiplication and an addition of one lane per instruction pair, and an
 * accumulator that is loaded and stored around each. */
#include "element.h"
#include "kernels/intensity/intensity_cpu.h"
#include "kernels/isa/symbol.h"

void KERNEL_SYMBOL(intensity_loop)(const struct intensity_part *part);

void KERNEL_SYMBOL(intensity_loop)(const struct intensity_part *part)
{
    const element *values = part->values;
    const element r = *(const element *)&part->factor;
    element *out = part->out;
    for (int i = 0; i < part->chains * part->lanes; i++)
        out[i] = 0;
    int chain = 0; /* (w m + k) mod chains, counted up instead of divided */
    for (int64_t w = 0; w < part->vectors; w++)
        for (int64_t k = 0; k < part->fmas; k++) {
            const element *value = values + w * part->lanes;
            element *acc = out + chain * part->lanes;
            for (int lane = 0; lane < part->lanes; lane++)
                acc[lane] = acc[lane] * r + value[lane];
            chain = chain + 1 < part->chains ? chain + 1 : 0;
        }
}
