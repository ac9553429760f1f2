/* A kernel is the code under the stopwatch: one implementation of one family.
 *
 * Implementations of a family form a ladder, slowest idea first; rung 0 is the reference that
 * the others are checked against. Behind our own rungs stand the peers: what others wrote. A
 * device owns one ladder per family.
 */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

enum family { FAMILY_STREAM, FAMILY_INTENSITY, FAMILY_GEMM, FAMILY_TENSOR, FAMILY_COUNT };

/* What one run moves from the level of memory in which `set_bytes` lie: the term of the roofline
 * that bounds a rung apart from arithmetic. */
struct kernel_traffic {
    double bytes;     /* per run */
    double set_bytes; /* what is read again and again: it lies in the first level that holds it */
    const char *what; /* "B, one line per multiply-add" */
};

struct kernel {
    const char *name; /* a value of --kernel; the record's variant */
    const char *idea; /* what this rung does that the one below does not */

    /* Does units first_unit .. first_unit + unit_count - 1 of the work that `args` describes.
     * What a unit is, the family's header says (a whole pass, or a chunk of one); numbers past
     * the last unit begin again at the first. Returns when the work is done (cpu) or queued. */
    enum status (*launch)(struct device *device, const void *args, int64_t first_unit,
                          int64_t unit_count);

    /* ---- Where rungs of a family differ in more than speed; NULL where nothing is to be said. */

    bool is_peer;      /* somebody else's implementation: never picked as the best rung */
    const char *limit; /* what holds this rung back, and the next one removes: for --explain */

    /* STATUS_SKIP with a sentence where this rung cannot do what `args` describe here. Only the
     * shape and the type in them are set. NULL: it can do whatever the bench can. */
    enum status (*supports)(const void *args);

    /* Units of one run. NULL: 1, or what the bench says. */
    int64_t (*units)(const void *args);

    /* Bytes of memory that the launch needs beside its operands; NULL: none. */
    size_t (*workspace_bytes)(const void *args, int thread_count);

    /* The record's `implementation`: library, version, core type, shape of the inner kernel. */
    void (*describe)(const void *args, int thread_count, char *text, size_t size);

    /* False where no single level bounds it. */
    bool (*traffic)(const void *args, struct kernel_traffic *traffic);
};

/* NULL-terminated, in rung order. */
typedef const struct kernel *const *kernel_ladder;

struct kernel_set {
    kernel_ladder family[FAMILY_COUNT]; /* NULL: this device has no such kernels */
};
