/* A suite file: what to measure and how long, as data.
 *
 *     # A comment, to the end of the line.
 *     policy  quick                  how samples are taken (bench --help)
 *     seconds 0.2                    of one case over all its rounds
 *     rounds  4
 *     points  120                    refuse to run if the lines below give more
 *     measure bench_vector_add op=add,copy array_bytes=4Ki..4LLC*4 threads=1,all
 *     measure bench_gemm kernel=all
 */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>

enum { SUITE_MAX_SETTINGS = 16, SUITE_MAX_LINES = 256 };

struct suite_line {
    int number;                             /* in the file, for messages */
    char *bench;                            /* "bench_vector_add"; owned */
    char *kernel;                           /* NULL: the best rung; owned */
    char *settings[SUITE_MAX_SETTINGS + 1]; /* "axis=values", NULL-terminated; owned */
};

struct suite {
    char name[64];
    char *path, *text; /* owned; the text is stored with the results */
    char policy[16];
    double case_seconds;      /* 0: the policy's */
    int rounds;               /* 0: the policy's */
    int most_points;          /* 0: no limit */
    struct suite_line *lines; /* owned */
    size_t lines_count;
};

C_API_BEGIN

/* By a name ("quick": looked up in the suites folder) or a path. STATUS_BAD_ARGUMENT names the
 * file and the line of an error. */
enum status suite_read(const char *name, struct suite *suite);

/* The same from text; `path` is for messages. */
enum status suite_parse(const char *text, const char *path, struct suite *suite);
void suite_clear(struct suite *suite);

C_API_END
