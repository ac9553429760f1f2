#include "harness/drive/lines.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10, MOST_BYTES = 64 << 20 };

void lines_clear(struct lines *lines)
{
    free(lines->text);
    *lines = (struct lines){0};
}

static enum lines_event read_more(struct lines *lines, int fd)
{
    if (lines->room - lines->length < READ_BYTES) {
        size_t room = lines->room ? 2 * lines->room : 2 * READ_BYTES;
        char *grown = room <= MOST_BYTES ? realloc(lines->text, room) : NULL;
        if (!grown)
            return LINES_OVERLONG;
        lines->text = grown;
        lines->room = room;
    }
    ssize_t got = read(fd, lines->text + lines->length, READ_BYTES);
    if (got == 0)
        return LINES_END;
    if (got > 0)
        lines->length += (size_t)got;
    return LINES_DATA; /* also where there was nothing to read after all */
}

enum lines_event lines_wait(struct lines *lines, int fd, int end_fd, int signal_fd,
                            double timeout_seconds)
{
    double deadline_seconds = clock_seconds() + timeout_seconds;
    for (;;) {
        struct pollfd polled[] = {{.fd = fd, .events = POLLIN},
                                  {.fd = signal_fd, .events = POLLIN},
                                  {.fd = end_fd, .events = POLLIN}};
        double left_seconds = deadline_seconds - clock_seconds();
        if (left_seconds <= 0)
            return LINES_TIMEOUT;
        int ready = poll(polled, 3, (int)ceil(fmin(left_seconds, 3600) * 1000));
        if (ready < 0 && errno != EINTR)
            return LINES_END;
        if (ready > 0 && polled[1].revents)
            return LINES_SIGNAL;
        if (ready > 0 && polled[0].revents)
            return read_more(lines, fd);
        if (ready > 0 && polled[2].revents)
            return LINES_END;
    }
}

enum status lines_take(struct lines *lines, enum status (*take)(void *, char *, size_t), void *arg)
{
    size_t begin = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && begin < lines->length) {
        char *newline = memchr(lines->text + begin, '\n', lines->length - begin);
        if (!newline)
            break;
        size_t length = (size_t)(newline - lines->text) - begin;
        status = take(arg, lines->text + begin, length);
        begin += length + 1;
    }
    if (begin) {
        memmove(lines->text, lines->text + begin, lines->length - begin);
        lines->length -= begin;
    }
    return status;
}
