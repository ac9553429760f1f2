/* Kernels with one mistake each: seeded_bugs.cu. */
#pragma once

#include <cstdint>
#include <string>

enum { SEEDED_THREADS = 64 };

/* Runs the kernel of that name, or its correct twin: out[0 .. SEEDED_THREADS-1] becomes zero if all
 * goes well. Returns the bank conflicts. */
uint64_t run_seeded_bug(const std::string &name, bool is_fixed, float *out);
