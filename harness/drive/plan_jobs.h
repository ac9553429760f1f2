/* From a suite to jobs: each bench is asked which cases its lines give. */
#pragma once

#include "harness/drive/job.h"
#include "harness/drive/suite.h"

struct jobs {
    struct job *jobs; /* owned; one per device and bench, in the suite's order */
    size_t count;
};

/* `arguments`: what every child of this run is given (policy, levels, device). Unknown benches,
 * axes and values are STATUS_BAD_ARGUMENT with the suite's file and line. A --device among the
 * arguments may be a list (devices.h): then there are jobs for each. A bench without kernels for
 * the device, or a GPU that cannot be opened, is left out, and said on standard error; STATUS_SKIP
 * where that leaves nothing. */
enum status plan_jobs(const struct suite *suite, const char *const *arguments, struct jobs *jobs);

/* Takes the rounds that a run already has off the jobs. */
void plan_jobs_subtract(struct jobs *jobs, const struct run *run);
size_t plan_jobs_cases(const struct jobs *jobs);
size_t plan_jobs_missing(const struct jobs *jobs);
void plan_jobs_clear(struct jobs *jobs);
