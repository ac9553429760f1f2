/* What `ridge show` prints of a run. Every number with its unit, interval and flags. */
#pragma once

#include "harness/show/grid.h"
#include "harness/store/run.h"

struct show_options {
    enum grid_format format;
    const char *dtype; /* of the roofline; NULL: the first that has a compute ceiling */
    int threads;       /* of the roofline; 0: the most */
    bool color;
};

C_API_BEGIN

enum status show_points(const struct run *run, const struct show_options *options, FILE *file);
enum status show_ceilings(const struct run *run, const struct show_options *options, FILE *file);

/* Text: a log-log chart of 80 x 24 characters; other formats: the roofs and points it is drawn of.
 */
enum status show_roofline(const struct run *run, const struct show_options *options, FILE *file);

/* Bandwidth over the working set: the longest size sweep, levels marked. */
enum status show_staircase(const struct run *run, const struct show_options *options, FILE *file);

/* Every ladder of the run, rung by rung: the rate, and its shares of the roof and the best peer. */
enum status show_ladder(const struct run *run, const struct show_options *options, FILE *file);

/* A sentence, broken at spaces to 80 columns. */
void show_wrapped(const char *text, FILE *file);

/* The head above text and Markdown tables: machine, suite, source, peculiarities. */
void show_machine(const struct run *run, const struct show_options *options, FILE *file);

/* Flag marks explained, one line each; nothing for none. */
void show_flags(uint32_t flags, const struct show_options *options, FILE *file);

C_API_END
