/* One writer per journal. */
#pragma once

#include "harness/base/status.h"

C_API_BEGIN

/* Takes the lock of an open journal, which the file's descriptor then holds until it is closed.
 * STATUS_BAD_ARGUMENT names the process that holds it, where the system tells. A file system
 * without locks is said on stderr, and is no failure. */
enum status journal_lock(int fd, const char *path);

C_API_END
