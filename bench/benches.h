/* The experiments of this suite. */
#pragma once

#include "harness/measure/bench.h"

extern const struct bench bench_vector_add;
extern const struct bench bench_intensity;
