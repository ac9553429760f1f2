/* One run in memory: what the journal and the HDF5 file both hold, and what model and show read. */
#pragma once

#include "harness/record/record.h"
#include "harness/store/ceiling.h"

/* A child's captured output, kept with the run. */
struct run_log {
    char name[64]; /* "bench_vector_add.0" */
    char *text;    /* owned */
};

struct run {
    char run_id[40]; /* time, host and process: unique */
    char *meta_json; /* owned JSON object: tool version, commit, command line, suite, environment,
                        start and end time, complete; written as attributes of /run */
    char *machine_json;    /* owned JSON object of harness/machine; "host" names it */
    char *topology_xml;    /* owned; hwloc's XML, or NULL */
    struct record *points; /* owned; merged, one per case, in the order they were first seen */
    size_t points_count, points_room;
    struct run_log *logs; /* owned */
    size_t logs_count;
    struct ceiling *ceilings; /* owned; what `ridge fit` found, none before it */
    size_t ceilings_count;
    struct residual *residuals; /* owned; of the same fit */
    size_t residuals_count;
};

C_API_BEGIN

void run_clear(struct run *run);

/* Drops ceilings and residuals: they no longer fit the points. */
void run_forget_fit(struct run *run);

/* The point of that case, or NULL. */
struct record *run_find(const struct run *run, const char *case_id);

/* Merges one slice into its point, creating it; a slice of a round already there is refused with
 * STATUS_BAD_ARGUMENT and changes nothing. The caller keeps its slice. */
enum status run_add_slice(struct run *run, const struct record *slice);

/* Keeps a log; text under a name that is there already is appended to it. STATUS_BAD_ARGUMENT for a
 * name that is empty, longer than its field, or has a slash. */
enum status run_add_log(struct run *run, const char *name, const char *text);

C_API_END
