#include "kernels/stream/stream.h"

#include <stddef.h>

enum { LINE_BYTES = 64 };

static const int64_t element_bytes[STREAM_TYPE_COUNT] = {
    [STREAM_F32] = sizeof(float),
    [STREAM_F64] = sizeof(double),
};

const char *const stream_op_names[] = {
    [STREAM_READ] = "read",   [STREAM_WRITE] = "write", [STREAM_COPY] = "copy",
    [STREAM_SCALE] = "scale", [STREAM_ADD] = "add",     [STREAM_TRIAD] = "triad",
    [STREAM_OP_COUNT] = NULL,
};

const char *const stream_store_names[] = {
    [STREAM_PLAIN] = "plain",
    [STREAM_NONTEMPORAL] = "nontemporal",
    [STREAM_STORE_COUNT] = NULL,
};

const struct stream_cost stream_costs[] = {
    [STREAM_READ] = {.reads = 1, .writes = 0, .operations = 1},
    [STREAM_WRITE] = {.reads = 0, .writes = 1, .operations = 0},
    [STREAM_COPY] = {.reads = 1, .writes = 1, .operations = 0},
    [STREAM_SCALE] = {.reads = 1, .writes = 1, .operations = 1},
    [STREAM_ADD] = {.reads = 2, .writes = 1, .operations = 1},
    [STREAM_TRIAD] = {.reads = 2, .writes = 1, .operations = 2},
};

int64_t stream_granule(enum stream_type type)
{
    return LINE_BYTES / element_bytes[type];
}
