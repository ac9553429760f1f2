/* How every function in this project says that it failed.
 *
 * A function that can fail returns enum status. The place that first sees the failure writes
 * one sentence with FAIL(), naming the thing, the value and the remedy; each caller passes it
 * up with TRY(), which adds its own file and line to the trail. The user reads the sentence;
 * RIDGE_TRACE=1 shows the trail too.
 */
#pragma once

#include "harness/base/c_api.h"

/* name, exit code of a program that ends with it, text */
#define STATUS_LIST(X)                                                                             \
    X(OK, 0, "ok")                                                                                 \
    X(WRONG_ANSWER, 1, "the kernel's result differs from the reference")                           \
    X(BAD_ARGUMENT, 2, "the command line or a file says a thing that cannot be used")              \
    X(NO_MEMORY, 3, "out of memory")                                                               \
    X(DEVICE, 3, "the device or its driver refused")                                               \
    X(COMM, 3, "MPI or NCCL refused")                                                              \
    X(IO, 3, "a file could not be read or written")                                                \
    X(CHILD, 3, "a child process failed")                                                          \
    X(INTERRUPTED, 3, "interrupted")                                                               \
    X(SKIP, 77, "not possible here, and that is no error")

enum status {
#define X(name, code, text) STATUS_##name,
    STATUS_LIST(X)
#undef X
};

C_API_BEGIN

const char *status_text(enum status status);
int status_exit_code(enum status status);

/* The sentence of the last failure on this thread, and the road that it took ("file:line"s). */
const char *error_message(void);
const char *error_trail(void);

/* Prints "program: sentence" to stderr, and the trail where RIDGE_TRACE=1 asks for it. */
void error_print(const char *program);

enum status error_raise(const char *file, int line, enum status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum status error_pass(const char *file, int line, enum status status);

C_API_END

#define FAIL(status, ...) error_raise(__FILE__, __LINE__, (status), __VA_ARGS__)

#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK)                                                               \
            return error_pass(__FILE__, __LINE__, try_status);                                     \
    } while (0)
