/* What a bench says of itself, as JSON: how `ridge` finds out what it can be asked. */
#pragma once

#include "harness/measure/bench.h"

/* The caller frees *json: name, question, counting, axes (name, kind, meaning, choices, values),
 * dtypes, kernels per device (name, idea), units of what is reported. */
enum status describe_bench(const struct bench *bench, char **json);

/* A device_visit: writes the finding as one JSON line (device, model, reason: "" where it can be
 * used, absent) to `file`, a FILE *. */
void describe_device(void *file, const struct device_finding *finding);
