#include "harness/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024, TRAIL_BYTES = 1024 };

static _Thread_local char message[MESSAGE_BYTES];
static _Thread_local char trail[TRAIL_BYTES];

static const struct {
    const char *text;
    int exit_code;
} table[] = {
#define X(name, code, text) [STATUS_##name] = {text, code},
    STATUS_LIST(X)
#undef X
};

const char *status_text(enum status status)
{
    return table[status].text;
}

int status_exit_code(enum status status)
{
    return table[status].exit_code;
}

const char *error_message(void)
{
    return message;
}

const char *error_trail(void)
{
    return trail;
}

void error_print(const char *program)
{
    const char *trace = getenv("RIDGE_TRACE");
    fprintf(stderr, "%s: %s\n", program, message);
    if (trace && strcmp(trace, "1") == 0)
        fprintf(stderr, "%s", trail);
}

enum status error_raise(const char *file, int line, enum status status, const char *format, ...)
{
    char text[MESSAGE_BYTES]; /* the arguments may contain the old message */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    memcpy(message, text, sizeof(message));
    snprintf(trail, sizeof(trail), "  at %s:%d\n", file, line);
    return status;
}

enum status error_pass(const char *file, int line, enum status status)
{
    size_t used = strlen(trail);
    snprintf(trail + used, sizeof(trail) - used, "  by %s:%d\n", file, line);
    return status;
}
