/* Where this program finds its benches and data: beside its own executable, so that a build tree
 * and an installed tree both work from anywhere. */
#pragma once

#include <stddef.h>

/* Folder of the running executable: bench_* stand there. Returns buffer. */
const char *places_programs(char *buffer, size_t size);

/* Folder with suites/, topologies/ and plot/: $RIDGE_DATA, else ../share/ridge of an installed
 * tree, else the source tree that the build folder lies in. Returns buffer; "" if none is found. */
const char *places_data(char *buffer, size_t size);

/* Path of the suite of that name, whether it exists or not. */
const char *places_suite(const char *name, char *buffer, size_t size);

/* "full, quick": the suites there are. */
const char *places_suites(char *buffer, size_t size);

/* Calls visit(arg, "bench_x") for each bench program, in order of name; returns how many. */
int places_benches(void (*visit)(void *arg, const char *name), void *arg);
