/* Replaces a file as a whole: temporary file beside it, fsync, rename, fsync of the folder. */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>

C_API_BEGIN

/* After it `path` holds these bytes, also after a power cut; or STATUS_IO names the path and the
 * system's reason, the old file (if any) is untouched and no temporary one is left. */
enum status replace_file(const char *path, const void *bytes, size_t size);

/* Brings a folder's entries to the disk: the folder that holds `path`. A file system that cannot
 * do that is not an error. */
enum status replace_sync_folder(const char *path);

C_API_END
