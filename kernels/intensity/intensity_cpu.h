/* Between the two CPU rungs of the intensity family and their common launch. */
#pragma once

#include "kernels/intensity/intensity.h"

enum { INTENSITY_FMAS_COUNT = 13 }; /* 1, 2, 4, ... 4096 */

/* One unit of one thread. */
struct intensity_part {
    const void *values;
    int64_t vectors; /* value vectors; a multiple of the chains */
    int64_t fmas;
    int chains, lanes;
    double r;
    void *out;
};

typedef void (*intensity_loop)(const struct intensity_part *part);

/* The loops of one instruction set and element type, by log2(m). */
struct intensity_loops {
    int chains, lanes;
    intensity_loop loop[INTENSITY_FMAS_COUNT];
};

/* Of the instruction set in use. */
const struct intensity_loops *intensity_cpu_loops(enum intensity_type type);
