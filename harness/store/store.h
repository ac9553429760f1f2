/* The HDF5 file of a run. Always written whole: temporary file in the same folder, fsync, rename,
 * fsync of the folder; so a reader sees the old file or the new one, never half of one. */
#pragma once

#include "harness/store/run.h"

/* As of the record: 2 added columns to /points. */
enum { STORE_SCHEMA = 2 };

C_API_BEGIN

/* Replaces `path` by the file of this run. STATUS_IO names the path and the system's reason (full
 * disk, read-only folder); then the old file, if any, is untouched and no temporary one is left. */
enum status store_write(const char *path, const struct run *run);

/* Reads a file into *run, which is overwritten without being freed. STATUS_BAD_ARGUMENT, with a
 * sentence, for what is no HDF5 file, a truncated one, one that is not ridge's, or one with a newer
 * schema (named); STATUS_IO where it cannot be opened. */
enum status store_read(const char *path, struct run *run);

C_API_END
