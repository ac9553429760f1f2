/* Between the two CPU rungs of the stream family and their common launch. */
#pragma once

#include "kernels/stream/stream.h"

/* One thread's part of the arrays: pointers to its first element, NULL where the op has none. */
struct stream_part {
    const void *a, *b;
    void *c; /* for read: the one element that receives the sum */
    int64_t count;
    int64_t passes;
    double scalar;
};

typedef void (*stream_loop)(const struct stream_part *part);

/* All loops of one rung, instruction set and element type; NULL: there is none. */
struct stream_loops {
    stream_loop loop[STREAM_OP_COUNT][STREAM_STORE_COUNT];
};
