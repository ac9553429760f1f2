/* Streaming kernels: one pass over long arrays, next to no arithmetic.
 *
 *     read   sum of a[i]               1 operation  per element
 *     write  c[i] = s                  0
 *     copy   c[i] = a[i]               0
 *     scale  c[i] = s * a[i]           1
 *     add    c[i] = a[i] + b[i]        1
 *     triad  c[i] = a[i] + s * b[i]    2
 *
 * Bytes are counted as the program asks for them: each array once per pass (McCalpin's STREAM
 * rule). Bus bytes add the line that a plain store reads before it overwrites it (write
 * allocate); non-temporal stores do not.
 *
 * A unit (kernel.h) is one pass over the arrays by all threads, each on its own part; passes are
 * not synchronised with one another, so a small array times the caches and not a barrier.
 */
#pragma once

#include "harness/measure/kernel.h"

#include <stdint.h>

enum stream_op {
    STREAM_READ,
    STREAM_WRITE,
    STREAM_COPY,
    STREAM_SCALE,
    STREAM_ADD,
    STREAM_TRIAD,
    STREAM_OP_COUNT
};

enum stream_store { STREAM_PLAIN, STREAM_NONTEMPORAL, STREAM_STORE_COUNT };
enum stream_type { STREAM_F32, STREAM_F64, STREAM_TYPE_COUNT };

struct stream_args {
    enum stream_op op;
    enum stream_store store;
    enum stream_type type;
    int64_t count;     /* elements in each array, >= 1, any number */
    double scalar;     /* s */
    const void *a, *b; /* arrays of `count` elements; NULL where the op does not read them */
    void *c;           /* the written array; for read: one element per thread, its part's sum */
};

struct stream_cost {
    int reads, writes; /* arrays read and written */
    int operations;    /* per element */
};

C_API_BEGIN

extern const char *const stream_op_names[];    /* NULL-terminated */
extern const char *const stream_store_names[]; /* "plain", "nontemporal", NULL */
extern const struct stream_cost stream_costs[];

extern const struct kernel stream_cpu_reference; /* the definition: a plain loop, no pragmas */
extern const struct kernel stream_cpu_vector;    /* whole vectors, unrolled, per instruction set */

/* Elements per cache line of 64 bytes: the granule of team_part_begin for this type. */
int64_t stream_granule(enum stream_type type);

C_API_END
