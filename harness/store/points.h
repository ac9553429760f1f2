/* The points of a run as the tables /points and /samples. */
#pragma once

#include "harness/store/run.h"

#include <hdf5.h>

C_API_BEGIN

/* About the bytes that both tables need on disk. */
size_t points_bytes(const struct run *run);

/* Creates both tables. */
enum status points_write(hid_t file, const struct run *run);

/* Fills run->points, which was empty. STATUS_BAD_ARGUMENT for damaged or impossible rows; then
 * run_clear frees what was read. */
enum status points_read(hid_t file, struct run *run);

C_API_END
