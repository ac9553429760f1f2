#include "harness/store/journal.h"

#include "harness/base/clock.h"
#include "harness/store/journal_lock.h"
#include "harness/store/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_BYTES = 65536 };
static const char BEGINNING[] = "{\"kind\":\"";

struct journal {
    int fd;
    char *path;
    off_t size; /* up to the end of the last whole line */
    double seconds;
};

/* Takes over the descriptor: it is closed with the journal, or here on failure. */
static enum status make_journal(int fd, const char *path, struct journal **journal)
{
    struct journal *made = calloc(1, sizeof(*made));
    char *copy = strdup(path);
    if (!made || !copy) {
        close(fd);
        free(made);
        free(copy);
        return FAIL(STATUS_NO_MEMORY, "no memory for the journal %s", path);
    }
    *made = (struct journal){.fd = fd, .path = copy};
    *journal = made;
    return STATUS_OK;
}

/* Closes it again unless what was done last went well. */
static enum status keep_if(enum status status, struct journal **journal)
{
    if (status != STATUS_OK) {
        journal_close(*journal);
        *journal = NULL;
    }
    return status;
}

static enum status explain_existing(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    enum status status = fd < 0 ? STATUS_OK : journal_lock(fd, path);
    if (fd >= 0)
        close(fd);
    TRY(status);
    return FAIL(STATUS_BAD_ARGUMENT, "%s exists already: resume it with --resume or remove it",
                path);
}

/* Where the file stands under another name for now, `path` is the one that is spoken of. */
static enum status create_at(const char *place, const char *path, struct journal **journal)
{
    *journal = NULL;
    int fd = open(place, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST)
        return explain_existing(path);
    if (fd < 0)
        return FAIL(STATUS_IO, "the journal %s cannot be created: %s", path, strerror(errno));
    TRY(make_journal(fd, path, journal));
    return keep_if(journal_lock(fd, path), journal);
}

enum status journal_create(const char *path, struct journal **journal)
{
    TRY(create_at(path, path, journal));
    return keep_if(replace_sync_folder(path), journal);
}

static enum status append_made(struct journal *journal, enum status made, char **line)
{
    TRY(made);
    enum status status = journal_append(journal, *line);
    free(*line);
    return status;
}

static enum status append_run(struct journal *journal, const struct run *run)
{
    char *line;
    enum status made = journal_line_run(run, &line);
    TRY(append_made(journal, made, &line));
    for (size_t i = 0; i < run->points_count; i++) {
        made = journal_line_slice(&run->points[i], &line);
        TRY(append_made(journal, made, &line));
    }
    for (size_t i = 0; i < run->logs_count; i++) {
        made = journal_line_log(&run->logs[i], &line);
        TRY(append_made(journal, made, &line));
    }
    return journal_sync(journal);
}

/* Never over another file. Some file systems know no renaming of that kind; those have links. */
static enum status publish(const char *temporary, const char *path)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) != 0 &&
        link(temporary, path) != 0) {
        int failed = errno;
        if (access(path, F_OK) == 0)
            return explain_existing(path);
        return FAIL(STATUS_IO, "the journal %s cannot be created: %s", path, strerror(failed));
    }
    unlink(temporary);
    return replace_sync_folder(path);
}

enum status journal_create_of(const char *path, const struct run *run, struct journal **journal)
{
    char temporary[PATH_MAX];
    TRY(replace_temporary_name(path, temporary, sizeof(temporary)));
    TRY(create_at(temporary, path, journal));
    enum status status = append_run(*journal, run);
    if (status == STATUS_OK)
        status = publish(temporary, path);
    if (status != STATUS_OK)
        unlink(temporary);
    return keep_if(status, journal);
}

/* The end of the last whole line, searched backwards. */
static enum status find_whole_size(const struct journal *journal, off_t size, off_t *whole)
{
    char *tail = malloc(TAIL_BYTES);
    if (!tail)
        return FAIL(STATUS_NO_MEMORY, "no memory to read the journal %s", journal->path);
    const char *newline = NULL;
    ssize_t got = 0;
    while (size > 0 && !newline && got >= 0) {
        off_t begin = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
        got = pread(journal->fd, tail, (size_t)(size - begin), begin);
        newline = got > 0 ? memrchr(tail, '\n', (size_t)got) : NULL;
        size = newline ? begin + (newline - tail) + 1 : begin;
    }
    int failed = errno;
    free(tail);
    if (got < 0)
        return FAIL(STATUS_IO, "the journal %s cannot be read: %s", journal->path,
                    strerror(failed));
    *whole = size;
    return STATUS_OK;
}

/* A foreign file must not lose its last line. */
static enum status check_beginning(const struct journal *journal, off_t size)
{
    char found[sizeof(BEGINNING)] = "";
    size_t length = sizeof(BEGINNING) - 1;
    if (size < (off_t)length)
        length = (size_t)size; /* torn before it began, or empty */
    if (pread(journal->fd, found, length, 0) == (ssize_t)length &&
        memcmp(found, BEGINNING, length) == 0)
        return STATUS_OK;
    return FAIL(STATUS_BAD_ARGUMENT, "%s is no journal of ridge; it is left as it is",
                journal->path);
}

static enum status cut_torn_line(struct journal *journal)
{
    struct stat now;
    if (fstat(journal->fd, &now) != 0)
        return FAIL(STATUS_IO, "the journal %s cannot be read: %s", journal->path, strerror(errno));
    if (now.st_nlink == 0)
        return FAIL(STATUS_BAD_ARGUMENT, "%s was finished by another process just now",
                    journal->path);
    TRY(check_beginning(journal, now.st_size));
    TRY(find_whole_size(journal, now.st_size, &journal->size));
    if (journal->size < now.st_size && ftruncate(journal->fd, journal->size) != 0)
        return FAIL(STATUS_IO, "the torn last line of %s cannot be cut off: %s", journal->path,
                    strerror(errno));
    return STATUS_OK;
}

enum status journal_open(const char *path, struct journal **journal)
{
    *journal = NULL;
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return FAIL(STATUS_IO, "the journal %s cannot be opened: %s", path, strerror(errno));
    TRY(make_journal(fd, path, journal));
    TRY(keep_if(journal_lock(fd, path), journal));
    return keep_if(cut_torn_line(*journal), journal);
}

static enum status write_whole(const struct journal *journal, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(journal->fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return FAIL(STATUS_IO, "the journal %s could not be written: %s", journal->path,
                        strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return STATUS_OK;
}

static enum status append_bytes(struct journal *journal, const char *bytes, size_t size)
{
    enum status status = write_whole(journal, bytes, size);
    if (status == STATUS_OK) {
        journal->size += (off_t)size;
        return STATUS_OK;
    }
    if (ftruncate(journal->fd, journal->size) != 0)
        return FAIL(STATUS_IO, "%s; its torn last line stays until it is opened again",
                    error_message());
    return status;
}

enum status journal_append(struct journal *journal, const char *line)
{
    double begin = clock_seconds();
    size_t length = strlen(line);
    if (memchr(line, '\n', length))
        return FAIL(STATUS_BAD_ARGUMENT, "a line of the journal %s cannot hold a newline",
                    journal->path);
    char *bytes = malloc(length + 1);
    if (!bytes)
        return FAIL(STATUS_NO_MEMORY, "no memory for a line of %zu bytes", length);
    memcpy(bytes, line, length);
    bytes[length] = '\n';
    enum status status = append_bytes(journal, bytes, length + 1);
    free(bytes);
    journal->seconds += clock_seconds() - begin;
    return status;
}

enum status journal_sync(struct journal *journal)
{
    double begin = clock_seconds();
    int failed = fdatasync(journal->fd) != 0 ? errno : 0;
    journal->seconds += clock_seconds() - begin;
    if (failed && failed != EINVAL) /* EINVAL: a special file, which has no disk */
        return FAIL(STATUS_IO, "the journal %s could not be brought to the disk: %s", journal->path,
                    strerror(failed));
    return STATUS_OK;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    close(journal->fd);
    free(journal->path);
    free(journal);
}

double journal_seconds(const struct journal *journal)
{
    return journal->seconds;
}
