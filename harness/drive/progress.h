/* What the user sees while a run lasts: one updating line on a terminal, plain lines in a log. */
#pragma once

#include "harness/record/record.h"

#include <stdbool.h>
#include <stddef.h>

enum progress_kind { PROGRESS_QUIET, PROGRESS_TERMINAL, PROGRESS_LOG };

struct progress {
    enum progress_kind kind;
    size_t slices_total, slices_done, points_done;
    double started_seconds;
};

/* Terminal where standard error is one, log elsewhere. */
void progress_begin(struct progress *progress, bool is_quiet, size_t slices_total);

/* One slice more; updates the line: done/total, bench, round, time left. */
void progress_slice(struct progress *progress, const char *bench, int round);

/* A point is complete, and safe on the disk: a log line, nothing on a terminal. */
void progress_point(struct progress *progress, const struct record *point);
void progress_end(struct progress *progress);
