#include "harness/store/journal_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Two locks, each on one byte. The guard belongs to the open file (OFD): it stays until that file
 * is closed, whoever else in this process opens and closes the journal, but the system does not
 * say whose it is. The name belongs to the process, and the system says whose it is, but it is
 * gone when this process closes any descriptor of the journal. The first excludes, the second
 * only answers "who?". */
enum { GUARD_BYTE = 0, NAME_BYTE = 1 };

static struct flock write_lock(off_t byte)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

static enum status name_holder(int fd, const char *path)
{
    char who[40] = "another process";
    struct flock name = write_lock(NAME_BYTE);
    if (fcntl(fd, F_GETLK, &name) == 0 && name.l_type != F_UNLCK && name.l_pid > 0)
        snprintf(who, sizeof(who), "process %ld", (long)name.l_pid);
    return FAIL(STATUS_BAD_ARGUMENT, "%s is being written by %s; wait for it or give another -o",
                path, who);
}

enum status journal_lock(int fd, const char *path)
{
    struct flock guard = write_lock(GUARD_BYTE), name = write_lock(NAME_BYTE);
    if (fcntl(fd, F_OFD_SETLK, &guard) == 0) {
        fcntl(fd, F_SETLK, &name); /* without it only the name is missing from the sentence */
        return STATUS_OK;
    }
    if (errno == EAGAIN || errno == EACCES)
        return name_holder(fd, path);
    fprintf(stderr,
            "ridge: the file system of %s has no locks (%s): do not start a second writer\n", path,
            strerror(errno));
    return STATUS_OK;
}
