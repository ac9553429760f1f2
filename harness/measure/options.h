/* The command line that all benches share. */
#pragma once

#include "harness/measure/emit.h"
#include "harness/measure/plan.h"
#include "harness/measure/table.h"

enum mode { MODE_RUN, MODE_LIST, MODE_DESCRIBE, MODE_CHECK, MODE_PROFILE, MODE_DEVICES };

struct options {
    enum mode mode;
    struct device_options device;
    struct policy policy;
    const char *settings[PLAN_MAX_SETTINGS + 1]; /* NULL-terminated */
    int setting_count;
    const char *kernel; /* NULL: the best rung */
    const char *cases, *record, *ack, *run_id;
    int child;
    const char *roof; /* NULL: this host's */
    const char *blas; /* NULL: only those that are found */
    bool controls, constant_fill, explain;
    enum output_format format;
};

/* Reads the command line. Usage errors print one sentence and exit with 2; --help and --version
 * print and exit with 0. */
void options_parse(int argc, char **argv, const struct bench *bench, struct options *options);
