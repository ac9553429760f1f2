/* What a bench says of itself, as JSON: how `ridge` finds out what it can be asked. */
#pragma once

#include "harness/measure/bench.h"

/* The caller frees *json: name, question, counting, axes (name, kind, meaning, choices, values),
 * dtypes, kernels per device (name, idea), units of what is reported. */
enum status describe_bench(const struct bench *bench, char **json);
