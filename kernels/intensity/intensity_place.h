/* Where the array of the intensity ladder lies, and how it is cut: which depends on the device. */
#pragma once

#include "harness/measure/device.h"
#include "kernels/intensity/intensity.h"

/* The first three are indices of info->levels on a CPU. */
enum intensity_level {
    INTENSITY_LEVEL_L1,
    INTENSITY_LEVEL_L2,
    INTENSITY_LEVEL_L3,
    INTENSITY_LEVEL_MEMORY,
    INTENSITY_LEVEL_SHARED /* of a GPU */
};

C_API_BEGIN

extern const char *const intensity_level_names[]; /* NULL-terminated */

bool intensity_has_level(const struct device_info *info, enum intensity_level level);

/* Bytes of all buffers of the case. */
double intensity_buffer_bytes(const struct device_info *info, enum intensity_level level,
                              int64_t threads);

/* Sets shape, parts, count, chunk_blocks, from_shared and past_l1 of args, whose type is set: an
 * array that lies in that level, whole chunks for each part, so that every unit is the same work.
 */
void intensity_place(const struct device_info *info, enum intensity_level level, int64_t threads,
                     struct intensity_args *args);

/* Units of one run over all of the array. */
int64_t intensity_units(const struct intensity_args *args);

C_API_END
