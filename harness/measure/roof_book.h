/* The fitted roofs of this host, as `ridge fit` wrote them (roof.json): what --explain predicts
 * from. A bench reads no HDF5. */
#pragma once

#include "harness/measure/levels.h"

#include <stddef.h>

struct roof_row {
    char kind[16], level[16], mix[32], dtype[16], device[32], unit[8], basis[16];
    char created[32]; /* when it was measured */
    int threads;
    double value, low, high; /* op/s or byte/s; 0: not determined */
};

struct roof_book {
    char path[1024];  /* where it was read from; "" for none */
    char created[32]; /* "2026-01-31T12:00:00Z" */
    struct levels levels;
    struct roof_row *rows; /* owned */
    size_t count;
};

/* Where the roof file of a host lies: $XDG_STATE_HOME/ridge/roof-HOST.json, or below
 * ~/.local/state. `ridge fit` writes it there, benches look for it there. */
void roof_book_default_path(const char *host, char *path, size_t size);

/* From `path`, or, where it is NULL, from this host's file in the state folder; an absent default
 * gives an empty book. STATUS_BAD_ARGUMENT names the file and what is wrong with it. */
enum status roof_book_open(const char *path, struct roof_book *book);
void roof_book_close(struct roof_book *book);

/* The determined row of that device, or NULL: the compute ceiling of the intensity ladder; of
 * products the highest by whatever method (harness/model/ceilings.h); a bandwidth. */
const struct roof_row *roof_book_compute(const struct roof_book *book, const char *device,
                                         const char *dtype, int threads);
const struct roof_row *roof_book_product(const struct roof_book *book, const char *device,
                                         const char *dtype, int threads);
const struct roof_row *roof_book_bandwidth(const struct roof_book *book, const char *level,
                                           const char *mix, const char *device, const char *dtype,
                                           int threads);
