#include "harness/measure/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int parse_descriptor(const char *text)
{
    char *end;
    if (strncmp(text, "fd:", 3) != 0)
        return -1;
    long number = strtol(text + 3, &end, 10);
    return end != text + 3 && *end == '\0' && number >= 0 && number < 1024 ? (int)number : -1;
}

enum status emit_open(const char *target, const char *ack, struct emit *emit)
{
    *emit = (struct emit){.record_fd = -1, .ack_fd = -1};
    if (!target)
        return STATUS_OK;
    if (ack && (emit->ack_fd = parse_descriptor(ack)) < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "--ack '%s' is not fd:NUMBER", ack);
    if (strncmp(target, "fd:", 3) == 0) {
        emit->record_fd = parse_descriptor(target);
        return emit->record_fd >= 0 ? STATUS_OK
                                    : FAIL(STATUS_BAD_ARGUMENT,
                                           "--record '%s' is no descriptor; write fd:3", target);
    }
    emit->record_fd = open(target, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    emit->owns_record = true;
    return emit->record_fd >= 0 ? STATUS_OK
                                : FAIL(STATUS_IO, "cannot write %s: %s", target, strerror(errno));
}

void emit_close(struct emit *emit)
{
    if (emit->owns_record)
        close(emit->record_fd);
    *emit = (struct emit){.record_fd = -1, .ack_fd = -1};
}

static enum status write_line(const struct emit *emit, const char *line)
{
    size_t length = strlen(line);
    char *copy = malloc(length + 2);
    if (!copy)
        return FAIL(STATUS_NO_MEMORY, "no memory for a line of %zu bytes", length);
    memcpy(copy, line, length);
    copy[length++] = '\n';
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(emit->record_fd, copy + done, length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            break;
        done += (size_t)written;
    }
    free(copy);
    if (done == length)
        return STATUS_OK;
    return errno == EPIPE ? FAIL(STATUS_INTERRUPTED, "the harness is gone")
                          : FAIL(STATUS_IO, "cannot write a record: %s", strerror(errno));
}

static enum status wait_for_acknowledgement(const struct emit *emit)
{
    char byte;
    ssize_t got;
    do
        got = read(emit->ack_fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 ? STATUS_OK : FAIL(STATUS_INTERRUPTED, "the harness is gone");
}

enum status emit_begin(const struct emit *emit, const char *case_id, int round)
{
    char line[96];
    if (emit->ack_fd < 0)
        return STATUS_OK;
    snprintf(line, sizeof(line), "{\"kind\":\"begin\",\"case_id\":\"%s\",\"round\":%d}", case_id,
             round);
    return write_line(emit, line);
}

enum status emit_slice(const struct emit *emit, const struct record *slice)
{
    char *line;
    if (emit->record_fd < 0)
        return STATUS_OK;
    TRY(record_to_json(slice, &line));
    enum status status = write_line(emit, line);
    free(line);
    if (status == STATUS_OK && emit->ack_fd >= 0)
        status = wait_for_acknowledgement(emit);
    return status;
}
