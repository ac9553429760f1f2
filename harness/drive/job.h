/* A job: the cases of one bench, measured by one child process, or by several in turn where one
 * crashes. What a child reports is in the journal before the child is told to go on. */
#pragma once

#include "harness/drive/devices.h"
#include "harness/drive/progress.h"
#include "harness/store/journal.h"
#include "harness/store/run.h"

struct job_case {
    struct record identity; /* as the bench listed it, without samples */
    uint64_t missing;       /* bit r: round r is still to be measured */
    int strikes;            /* rounds that were lost */
};

struct job {
    char bench[48];
    char program[4096];
    char device[DEVICES_NAME_BYTES]; /* "": as the arguments of all children say */
    struct job_case *cases;          /* owned */
    size_t count, room;
};

/* What all jobs of a run share. */
struct job_context {
    struct run *run;
    struct journal *journal;
    struct progress *progress;
    const char *const *arguments; /* for every child; NULL-terminated */
    int signal_fd;                /* readable when the user wants to stop */
    int next_child;               /* number of the next process of this run */
    double timeout_seconds;       /* without a word from a child */
    double child_seconds;         /* spent with a child alive, so far */
};

enum status job_add_case(struct job *job, const struct record *identity);
void job_clear(struct job *job);
size_t job_missing_slices(const struct job *job);

/* Runs children until nothing is missing. A case loses a round to each crash, hang or garbled
 * line and is given up after the second; a child that fails before its first case ends the job.
 * Not STATUS_OK: STATUS_INTERRUPTED, or STATUS_IO where the journal cannot be written. */
enum status job_run(struct job *job, struct job_context *context);
