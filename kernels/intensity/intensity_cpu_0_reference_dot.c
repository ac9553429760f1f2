/* Rung 0 of the dot instructions: the sums as intensity.h defines them, one product at a time.
 *
 * Traffic: one value per 2 m operations, as for every rung.
 * What limits it next: each product is a few scalar instructions, and its accumulator is loaded
 * and stored around it. */
#include "kernels/intensity/intensity_cpu.h"

#include <string.h>

/* A bf16 is the upper half of an f32. */
static float widen(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

void intensity_loop_reference_bf16(const struct intensity_part *part)
{
    const uint16_t *value = part->values, *weight = part->factor.bf16;
    float *out = part->out;
    for (int i = 0; i < part->chains * part->lanes; i++)
        out[i] = 0;
    int chain = 0; /* (w m + k) mod chains, counted up instead of divided */
    for (int64_t w = 0; w < part->vectors; w++, value += 2 * part->lanes)
        for (int64_t k = 0; k < part->fmas; k++) {
            float *acc = out + chain * part->lanes;
            for (int i = 0; i < 2 * part->lanes; i++)
                acc[i / 2] += widen(value[i]) * widen(weight[i % 2]);
            chain = chain + 1 < part->chains ? chain + 1 : 0;
        }
}

void intensity_loop_reference_int8(const struct intensity_part *part)
{
    const int8_t *value = part->values;
    const uint8_t *weight = part->factor.int8;
    int32_t *out = part->out;
    for (int i = 0; i < part->chains * part->lanes; i++)
        out[i] = 0;
    int chain = 0;
    for (int64_t w = 0; w < part->vectors; w++, value += 4 * part->lanes)
        for (int64_t k = 0; k < part->fmas; k++) {
            int32_t *acc = out + chain * part->lanes;
            for (int i = 0; i < 4 * part->lanes; i++)
                acc[i / 4] += value[i] * weight[i % 4];
            chain = chain + 1 < part->chains ? chain + 1 : 0;
        }
}
