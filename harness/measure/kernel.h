/* A kernel is the code under the stopwatch: one implementation of one family.
 *
 * Implementations of a family form a ladder, slowest idea first; rung 0 is the reference that
 * the others are checked against. A device owns one ladder per family.
 */
#pragma once

#include "harness/base/status.h"

#include <stdint.h>

struct device;

enum family { FAMILY_STREAM, FAMILY_INTENSITY, FAMILY_COUNT };

struct kernel {
    const char *name; /* a value of --kernel; the record's variant */
    const char *idea; /* what this rung does that the one below does not */

    /* Does units first_unit .. first_unit + unit_count - 1 of the work that `args` describes.
     * What a unit is, the family's header says (a whole pass, or a chunk of one); numbers past
     * the last unit begin again at the first. Returns when the work is done (cpu) or queued. */
    enum status (*launch)(struct device *device, const void *args, int64_t first_unit,
                          int64_t unit_count);
};

/* NULL-terminated, in rung order. */
typedef const struct kernel *const *kernel_ladder;

struct kernel_set {
    kernel_ladder family[FAMILY_COUNT]; /* NULL: this device has no such kernels */
};
