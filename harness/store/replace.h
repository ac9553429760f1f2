/* Replaces a file as a whole: temporary file beside it, fsync, rename, fsync of the folder. */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>

C_API_BEGIN

/* After it `path` holds these bytes, also after a power cut; or STATUS_IO names the path and the
 * system's reason, the old file (if any) is untouched and no temporary one is left. */
enum status replace_file(const char *path, const void *bytes, size_t size);

/* The name of the temporary file that stands for `path` until it is whole: hidden, in the same
 * folder, of this process. STATUS_IO where it is too long. */
enum status replace_temporary_name(const char *path, char *temporary, size_t size);

/* Removes the temporary files of `path` that killed processes left; those of living ones stay. */
void replace_remove_leftovers(const char *path);

/* Brings a folder's entries to the disk: the folder that holds `path`. A file system that cannot
 * do that is not an error. */
enum status replace_sync_folder(const char *path);

C_API_END
