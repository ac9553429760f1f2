#include "harness/store/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MARK[] = ".tmp."; /* between the name and the process */

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

enum status replace_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    int length = folder_length(path);
    snprintf(folder, sizeof(folder), "%.*s", length ? length : 1, length ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return STATUS_OK; /* a folder that may be written but not listed */
    int failed = fsync(fd) != 0 ? errno : 0;
    close(fd);
    if (failed && failed != EINVAL && failed != EBADF && failed != ENOTSUP)
        return FAIL(STATUS_IO, "the folder %s could not be brought to the disk: %s", folder,
                    strerror(failed));
    return STATUS_OK;
}

static enum status write_whole(int fd, const char *path, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return FAIL(STATUS_IO, "%s could not be written: %s", path, strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    if (fsync(fd) != 0)
        return FAIL(STATUS_IO, "%s could not be brought to the disk: %s", path, strerror(errno));
    return STATUS_OK;
}

static enum status write_temporary(const char *temporary, const char *path, const void *bytes,
                                   size_t size)
{
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return FAIL(STATUS_IO, "%s cannot be written in its folder: %s", path, strerror(errno));
    enum status status = write_whole(fd, path, bytes, size);
    if (close(fd) != 0 && status == STATUS_OK) /* network file systems report a full disk here */
        status = FAIL(STATUS_IO, "%s could not be written: %s", path, strerror(errno));
    return status;
}

static enum status rename_temporary(const char *temporary, const char *path)
{
    if (rename(temporary, path) != 0)
        return FAIL(STATUS_IO, "%s could not be replaced: %s", path, strerror(errno));
    return STATUS_OK;
}

enum status replace_temporary_name(const char *path, char *temporary, size_t size)
{
    int folder = folder_length(path);
    int length = snprintf(temporary, size, "%.*s.%s%s%ld", folder, path, path + folder, MARK,
                          (long)getpid());
    return length < (int)size ? STATUS_OK
                              : FAIL(STATUS_IO, "%.60s... is too long for a path", path);
}

/* Does the process that the name ends with still live, here? */
static bool is_in_use(const char *pid_text)
{
    long pid = strtol(pid_text, NULL, 10);
    return pid > 0 && pid != getpid() && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

void replace_remove_leftovers(const char *path)
{
    char folder[PATH_MAX], begin[NAME_MAX + 1];
    int length = folder_length(path);
    snprintf(folder, sizeof(folder), "%.*s", length ? length : 1, length ? path : ".");
    snprintf(begin, sizeof(begin), ".%s%s", path + length, MARK);
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0 &&
            !is_in_use(entry->d_name + strlen(begin)))
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
}

enum status replace_file(const char *path, const void *bytes, size_t size)
{
    char temporary[PATH_MAX];
    TRY(replace_temporary_name(path, temporary, sizeof(temporary)));
    enum status status = write_temporary(temporary, path, bytes, size);
    if (status == STATUS_OK)
        status = rename_temporary(temporary, path);
    if (status != STATUS_OK) {
        unlink(temporary);
        return status;
    }
    return replace_sync_folder(path);
}
