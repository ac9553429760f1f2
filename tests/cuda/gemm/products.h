/* Products of the CUDA gemm ladder, run by emulation and compared with a plain triple loop: exactly
 * for whole numbers, within the rounding error that a sum of k products may have otherwise. */
#pragma once

#include "kernels/gemm/gemm_cuda.h"

#include <string>
#include <vector>

using Launch = int (*)(const struct gemm_args *, const struct cuda_grid *, void *);

struct Shape {
    int64_t m, n, k, batch;
};

enum class Values {
    whole, /* -8 .. 8: every sum is exact in every type */
    real,  /* of the type, between -1 and 1 */
    wild   /* int8: the whole range; others: as real, with a few that round at the type's limits */
};

/* One product; false, and a sentence on stderr, if it is wrong or something beside C was written.
 */
bool check_product(const char *rung, Launch launch, enum gemm_type type, Shape shape,
                   Values values = Values::whole);

const char *type_name(enum gemm_type type);

/* A test by a sentence; main() runs those named on the command line, or all, and says "ok" or
 * "WRONG" with each name. */
struct Test {
    const char *name;
    bool (*run)();
};

int run_tests(const std::vector<Test> &tests, int count, char **names);

/* The device that emulated kernels are launched for. */
extern const struct cuda_grid emulated_grid;
