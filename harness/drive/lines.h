/* Whole lines out of a non-blocking descriptor, while also waiting for a signal and for time. */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>

struct lines {
    char *text; /* owned; received and not yet taken */
    size_t length, room;
};

enum lines_event { LINES_DATA, LINES_END, LINES_SIGNAL, LINES_TIMEOUT, LINES_OVERLONG };

/* Waits until something arrives and reads it. LINES_END: the other side was closed, or `end_fd`
 * (negative: none) became readable and nothing is left to read: somebody else holds the other side
 * open, and nothing more will come. */
enum lines_event lines_wait(struct lines *lines, int fd, int end_fd, int signal_fd,
                            double timeout_seconds);

/* Hands each whole line to take(arg, text, length), without its newline, which take may overwrite
 * by a zero; stops at the first failure. */
enum status lines_take(struct lines *lines, enum status (*take)(void *, char *, size_t), void *arg);
void lines_clear(struct lines *lines);
