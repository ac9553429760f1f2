/* The way of slices out of a bench: JSON lines to a file or descriptor, each acknowledged by the
 * harness before the bench goes on, so that nothing is written while a sample is timed. */
#pragma once

#include "harness/record/record.h"

struct emit {
    int record_fd; /* -1: nowhere */
    int ack_fd;    /* -1: nobody acknowledges */
    bool owns_record;
};

/* target: a path, or "fd:N"; ack: "fd:N" or NULL. */
enum status emit_open(const char *target, const char *ack, struct emit *emit);
void emit_close(struct emit *emit);

/* Says which case is about to be measured, so that the harness knows whom a crash belongs to:
 * {"kind":"begin","case_id":..,"round":..}. Not acknowledged. */
enum status emit_begin(const struct emit *emit, const char *case_id, int round);

/* Writes the slice and waits. STATUS_INTERRUPTED where the harness is gone. */
enum status emit_slice(const struct emit *emit, const struct record *slice);
