/* A child process: a bench under the harness, or one that is only asked something. */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int end_fd;    /* readable when the process itself has ended; negative: not known */
    int record_fd; /* the child's records come from here; non-blocking */
    int ack_fd;    /* and one byte for each slice goes there */
    int log_fd;    /* its stdout and stderr, in memory */
};

/* Starts argv[0] (a path) with the environment scrubbed of what a launcher (mpirun, srun) set for
 * this process: a child that is no rank must not believe that it is one. It ends with this process,
 * however that ends. `input` is its descriptor 5, for it to read as /proc/self/fd/5. The arguments
 * "--record fd:3 --ack fd:4" are the caller's to give. */
enum status child_start(const char *const *argv, int input, struct child *child);

/* Kills it and everything it started, and reaps it. Safe after it ended by itself. */
void child_kill(struct child *child);

/* Waits for its end, and ends what it started and left behind. Returns the status of waitpid. */
int child_wait(struct child *child);

/* What it printed so far; of more than 1 MiB the beginning and the end. The caller frees. NULL
 * without memory. */
char *child_log(const struct child *child);

/* Bytes that it printed so far. */
double child_log_bytes(const struct child *child);

/* Closes the descriptors. */
void child_close(struct child *child);

/* "was killed by signal 11 (Segmentation fault)", "exited with code 3". */
const char *child_end_text(int wait_status, char *buffer, size_t size);

/* Runs argv to its end and returns its standard output. Not STATUS_OK where it exits with another
 * code than 0; then the sentence is what it said on standard error. The caller frees *output. */
enum status child_ask(const char *const *argv, char **output);
