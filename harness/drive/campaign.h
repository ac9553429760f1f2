/* A campaign: a suite on this machine, from the file to the stored run. */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct campaign_options {
    const char *suite;                       /* name or path; not used when resuming */
    const char *output;                      /* the .h5 file; its journal stands beside it */
    const char *device, *isa, *pages, *blas; /* NULL: the benches' defaults */
    double timeout_seconds;                  /* without a word from a child */
    bool resume, quiet;
    int argument_count; /* the whole command line, for the record */
    char **arguments;
};

struct campaign_result {
    size_t points, measured, skipped, wrong, failed;
    double seconds, child_seconds, journal_seconds;
};

C_API_BEGIN

/* Runs what is asked, or what is missing of an earlier run. The file is written whole at the
 * start, after each child and at the end; until then the truth is OUTPUT.journal, which is removed
 * once the file is complete. STATUS_INTERRUPTED leaves both valid. */
enum status campaign_run(const struct campaign_options *options, struct campaign_result *result);

C_API_END
