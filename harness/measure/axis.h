/* An axis is one thing that an experiment varies. It names an int64_t field of the bench's
 * state, which the runner sets before setup(), and it is a key of the record's params. */
#pragma once

#include "harness/base/status.h"
#include "harness/measure/levels.h"

#include <stddef.h>
#include <stdint.h>

enum { AXIS_MAX_VALUES = 128 };

enum axis_kind {
    AXIS_CHOICE,  /* one of the names in choices; the field holds its index */
    AXIS_COUNT,   /* a positive number */
    AXIS_BYTES,   /* a number of bytes: 4096, 64Ki, 1.5Mi, L2, 0.5L1, 4LLC */
    AXIS_THREADS, /* a positive number, or "all" */
    AXIS_SHAPE,   /* of a matrix product, m x n x k: 256x8x4096, or 1024 for a cube */
};

struct axis {
    const char *name; /* NULL ends a list of axes */
    const char *meaning;
    enum axis_kind kind;
    size_t offset;              /* of the field, in the bench's state */
    const char *const *choices; /* of AXIS_CHOICE; NULL-terminated */
    const char *values;         /* the bench's own values, in the syntax of --set */
};

/* A shape is one number, 21 bits for each of m, n and k. */
enum { AXIS_SHAPE_BITS = 21, AXIS_SHAPE_MOST = (1 << AXIS_SHAPE_BITS) - 1 };

static inline int64_t axis_shape(int64_t m, int64_t n, int64_t k)
{
    return (m << AXIS_SHAPE_BITS | n) << AXIS_SHAPE_BITS | k;
}

static inline int64_t axis_shape_m(int64_t shape)
{
    return shape >> 2 * AXIS_SHAPE_BITS;
}

static inline int64_t axis_shape_n(int64_t shape)
{
    return shape >> AXIS_SHAPE_BITS & AXIS_SHAPE_MOST;
}

static inline int64_t axis_shape_k(int64_t shape)
{
    return shape & AXIS_SHAPE_MOST;
}

#define AXIS(type, field, kind_, values_, meaning_)                                                \
    {                                                                                              \
        .name = #field, .meaning = (meaning_), .kind = (kind_), .offset = offsetof(type, field),   \
        .values = (values_),                                                                       \
    }
#define AXIS_NAMES(type, field, choices_, values_, meaning_)                                       \
    {                                                                                              \
        .name = #field, .meaning = (meaning_), .kind = AXIS_CHOICE,                                \
        .offset = offsetof(type, field), .choices = (choices_), .values = (values_),               \
    }

struct axis_values {
    size_t count;
    int64_t value[AXIS_MAX_VALUES];
};

/* What words like "L2" and "all" mean here. */
struct axis_context {
    const struct levels *levels;
    int thread_count;
};

C_API_BEGIN

/* Reads "copy,triad", "1Mi,4Mi", "64,1x4096x4096" or a geometric range "4Ki..4LLC*2" (from the
 * first by the factor up to the first value that reaches the last; of threads, to the last itself).
 * Doubles are dropped, order kept. Errors name the word and what would be right. */
enum status axis_parse(const struct axis *axis, const struct axis_context *context,
                       const char *text, struct axis_values *values);

/* How a value is shown and recorded; the buffer is used only where the value has no name. */
const char *axis_label(const struct axis *axis, int64_t value, char *buffer, size_t size);

C_API_END
