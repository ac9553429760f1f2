/* What `ridge show` prints of a run. Every number with its unit, interval and flags. */
#pragma once

#include "harness/model/ceilings.h"
#include "harness/show/grid.h"

struct show_options {
    enum grid_format format;
    const char *device; /* NULL: all, of a chart a GPU before the cpu */
    const char *dtype;  /* of charts and ladders; NULL: all, of a chart the first with ceilings */
    int threads;        /* the same; 0: all, of a chart the most */
    bool color;
};

enum { SHOW_DEVICES_MOST = 64 };

/* Devices of a run, in the order of their first points. */
struct show_devices {
    const char *name[SHOW_DEVICES_MOST];
    int count;
};

/* A table of the rows of one device; NULL: of all that were asked for. Collects their flags. */
typedef enum status (*show_table)(const struct run *run, const struct show_options *options,
                                  const char *device, uint32_t *flags, FILE *file);

C_API_BEGIN

enum status show_points(const struct run *run, const struct show_options *options, FILE *file);
enum status show_ceilings(const struct run *run, const struct show_options *options, FILE *file);

/* What an operation of each type costs: the compute ceilings of whole devices, by type. */
enum status show_prices(const struct run *run, const struct show_options *options, FILE *file);

/* Text: a log-log chart of 80 x 24 characters; other formats: the roofs and points it is drawn of.
 */
enum status show_roofline(const struct run *run, const struct show_options *options, FILE *file);

/* Bandwidth over the working set: the longest size sweep, levels marked. */
enum status show_staircase(const struct run *run, const struct show_options *options, FILE *file);

/* Every ladder of the run, rung by rung: the rate, and its shares of the roof and the best peer. */
enum status show_ladder(const struct run *run, const struct show_options *options, FILE *file);

/* All that the run has. */
void show_devices_of(const struct run *run, struct show_devices *devices);

/* STATUS_BAD_ARGUMENT where the run has no point of the device that was asked for. */
enum status show_check_device(const struct run *run, const struct show_options *options);

/* Prints the table; for people, where not only the cpu was measured, one below the other, each
 * under its device's title. */
enum status show_by_device(const struct run *run, const struct show_options *options,
                           show_table table, uint32_t *flags, FILE *file);

/* Does a row of that device belong to the table of `device` (NULL: of all that were asked for)? */
bool show_device_fits(const struct show_options *options, const char *device, const char *row);

/* "f32, 2 threads", "f32, cuda:0". Returns text. */
const char *show_part(struct part part, char *text, size_t size);

/* A line of what the file knows of a GPU; nothing where it knows nothing. */
void show_device(const char *machine_json, const char *name, FILE *file);

/* A sentence, broken at spaces to 80 columns. */
void show_wrapped(const char *text, FILE *file);

/* The head above text and Markdown tables: machine, suite, source, peculiarities. */
void show_machine(const struct run *run, const struct show_options *options, FILE *file);

/* Flag marks explained, one line each; nothing for none. */
void show_flags(uint32_t flags, const struct show_options *options, FILE *file);

C_API_END
