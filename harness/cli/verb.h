/* A verb of `ridge`: one file, one entry in the table of main.c. */
#pragma once

#include "harness/base/status.h"

struct verb {
    const char *name;    /* what the user types */
    const char *summary; /* one line for `ridge --help` */

    /* argv[0] is "ridge NAME". Parses its own options with argp. */
    enum status (*run)(int argc, char **argv);
};

extern const struct verb verb_doctor, verb_fit, verb_list, verb_report, verb_run, verb_show;
