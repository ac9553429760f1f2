#include "harness/store/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The steps in which HDF5 asks for memory. */
enum { GROWTH_BYTES = 1 << 20, HUGE_PAGE_BYTES = 1 << 21 };

/* Huge pages, where the system grants them, spare a page fault for every 4 KiB. */
static void *allocate(size_t room)
{
    void *bytes = aligned_alloc(HUGE_PAGE_BYTES, room);
    if (bytes)
        madvise(bytes, room, MADV_HUGEPAGE);
    return bytes;
}

static void *grow(void *bytes, size_t size, H5FD_file_image_op_t operation, void *image_pointer)
{
    struct image *image = image_pointer;
    (void)operation;
    if (bytes && size <= image->room)
        return bytes;
    size_t least = size > image->expected ? size + size / 2 : image->expected;
    size_t room = (least / HUGE_PAGE_BYTES + 1) * HUGE_PAGE_BYTES;
    void *grown = allocate(room);
    if (!grown)
        return NULL;
    if (bytes)
        memcpy(grown, bytes, image->room);
    free(bytes);
    image->bytes = grown;
    image->room = room;
    return grown;
}

/* HDF5 is done with the memory, and the file in it is complete; we are not done. */
static herr_t keep(void *bytes, H5FD_file_image_op_t operation, void *image_pointer)
{
    (void)bytes;
    (void)operation;
    (void)image_pointer;
    return 0;
}

static void *share(void *image_pointer)
{
    return image_pointer;
}

static herr_t unshare(void *image_pointer)
{
    (void)image_pointer;
    return 0;
}

static enum status create_file(struct image *image, hid_t access, hid_t *file)
{
    H5FD_file_image_callbacks_t callbacks = {.image_realloc = grow,
                                             .image_free = keep,
                                             .udata_copy = share,
                                             .udata_free = unshare,
                                             .udata = image};
    /* Without blocks for small pieces nothing is left over, and cut off, at the end of the file.
     * Format 1.10 protects all of the file's structure by checksums, so that a damaged file is
     * refused and not followed; newer formats would shut out HDF5 1.10. */
    bool ready = H5Pset_fapl_core(access, GROWTH_BYTES, false) >= 0 &&
                 H5Pset_meta_block_size(access, 0) >= 0 &&
                 H5Pset_small_data_block_size(access, 0) >= 0 &&
                 H5Pset_file_image_callbacks(access, &callbacks) >= 0 &&
                 H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0;
    *file = ready ? H5Fcreate("ridge", H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5I_INVALID_HID;
    if (*file < 0)
        return FAIL(STATUS_NO_MEMORY, "HDF5 cannot begin a file in memory");
    return STATUS_OK;
}

enum status image_create(struct image *image, size_t expected_bytes, hid_t *file)
{
    *image = (struct image){.expected = expected_bytes};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    enum status status = create_file(image, access, file);
    H5Pclose(access);
    return status;
}

enum status image_close(struct image *image, hid_t file)
{
    ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, NULL, 0);
    if (H5Fclose(file) < 0 || size <= 0 || (size_t)size > image->room)
        return FAIL(STATUS_NO_MEMORY, "HDF5 cannot complete the file in memory");
    image->size = (size_t)size;
    return STATUS_OK;
}
