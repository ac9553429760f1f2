#include "harness/drive/progress.h"

#include "harness/base/clock.h"
#include "harness/base/format.h"
#include "harness/record/median.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *progress, bool is_quiet, size_t slices_total)
{
    *progress = (struct progress){.slices_total = slices_total, .started_seconds = clock_seconds()};
    progress->kind = is_quiet                ? PROGRESS_QUIET
                     : isatty(STDERR_FILENO) ? PROGRESS_TERMINAL
                                             : PROGRESS_LOG;
}

void progress_slice(struct progress *progress, const char *bench, int round)
{
    progress->slices_done++;
    if (progress->kind != PROGRESS_TERMINAL)
        return;
    double spent_seconds = clock_seconds() - progress->started_seconds;
    double left_seconds = spent_seconds / (double)progress->slices_done *
                          (double)(progress->slices_total - progress->slices_done);
    fprintf(stderr, "\r\033[K%zu/%zu  %s, round %d, %.0f s left", progress->slices_done,
            progress->slices_total, bench, round + 1, left_seconds);
}

void progress_point(struct progress *progress, const struct record *point)
{
    char bytes[32], ops[32];
    double half_width, median_seconds = record_median_seconds(point, &half_width);
    progress->points_done++;
    if (progress->kind != PROGRESS_LOG)
        return;
    if (point->status == RECORD_ok && median_seconds > 0)
        fprintf(stderr, "%s %s %s %s %s %s\n", point->case_id, point->bench, point->variant,
                point->params,
                format_si(point->bytes / median_seconds, "B/s", bytes, sizeof(bytes)),
                format_si(point->operations / median_seconds, "op/s", ops, sizeof(ops)));
    else
        fprintf(stderr, "%s %s %s %s %s: %s\n", point->case_id, point->bench, point->variant,
                point->params, record_status_name(point->status), point->reason);
}

void progress_end(struct progress *progress)
{
    if (progress->kind == PROGRESS_TERMINAL)
        fprintf(stderr, "\r\033[K");
}
