/* An HDF5 file that grows in memory.
 *
 * HDF5 writes most of a file when it is closed, and a full disk at that moment leaves it with data
 * it can neither write nor forget; some versions then fail again, or crash, when the program ends.
 * So it never sees the disk here: the bytes are ours, and write() reports plainly. */
#pragma once

#include "harness/base/status.h"

#include <hdf5.h>

#include <stddef.h>

struct image {
    void *bytes;           /* owned; complete once the file is closed */
    size_t expected, room; /* bytes: asked for at first, and allocated */
    size_t size;           /* of the file */
};

C_API_BEGIN

/* An empty file, for which that much memory is taken at once (it may grow beyond). The image must
 * stay where it is until image_close. */
enum status image_create(struct image *image, size_t expected_bytes, hid_t *file);

/* Closes the file, always; then image->bytes are image->size bytes of a file, to be freed. */
enum status image_close(struct image *image, hid_t file);

C_API_END
