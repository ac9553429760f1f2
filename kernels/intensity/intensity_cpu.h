/* Between the two CPU rungs of the intensity family and their common launch. */
#pragma once

#include "kernels/intensity/intensity.h"

enum { INTENSITY_FMAS_COUNT = 13 }; /* 1, 2, 4, ... 4096 */

/* What a step multiplies by, in every lane of a vector: r, or the weights. Read at run time, so
 * that the compiler cannot compute with it. */
union intensity_factor {
    float f32[INTENSITY_MAX_VECTOR_BYTES / sizeof(float)];
    double f64[INTENSITY_MAX_VECTOR_BYTES / sizeof(double)];
    uint16_t bf16[INTENSITY_MAX_VECTOR_BYTES / sizeof(uint16_t)];
    uint8_t int8[INTENSITY_MAX_VECTOR_BYTES];
};

/* One unit of one thread. */
struct intensity_part {
    const void *values;
    int64_t vectors; /* value vectors; a multiple of the chains */
    int64_t fmas;
    int chains, lanes; /* lanes of accumulators */
    union intensity_factor factor;
    void *out;
};

typedef void (*intensity_loop)(const struct intensity_part *part);

/* The loops of one instruction set and element type, by log2(m). */
struct intensity_loops {
    int chains, lanes;
    intensity_loop loop[INTENSITY_FMAS_COUNT];
};

/* Of the instruction set in use; NULL where it or this processor has none for the type. */
const struct intensity_loops *intensity_cpu_loops(enum intensity_type type);
