/* roof.json: the typical ceilings of a run in a form that a bench reads, since benches know no
 * HDF5. One JSON object: schema, run_id, host, cpu_model, created, levels (as levels_format wrote
 * them), source, and `ceilings`, an array of rows with the keys of /ceilings and `created`. */
#pragma once

#include "harness/store/run.h"

C_API_BEGIN

/* The run's ceilings as JSON, and behind them those of the file at `path` (NULL: of none) for
 * devices that the run did not measure; the caller frees. */
enum status roof_file_json(const struct run *run, const char *path, char **json);

/* Replaces `path` as a whole. */
enum status roof_file_write(const char *path, const struct run *run);

/* Where benches look by default: $XDG_STATE_HOME/ridge/roof-HOST.json, or ~/.local/state/ridge.
 * Makes the folders. STATUS_IO where they cannot be made. */
enum status roof_file_default(const struct run *run, char *path, size_t size);

C_API_END
