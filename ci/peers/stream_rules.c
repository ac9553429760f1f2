/* Copy, add and triad as plain C loops by the published rules of STREAM (McCalpin: arrays of at
 * least 4 times the last cache, every array counted once, best of all passes but the first), so
 * that bench_vector_add can be compared with what a compiler makes of the definition. No intrinsic,
 * no non-temporal store.
 *
 *     stream_rules OPERATION ELEMENTS PASSES      prints the best rate in byte/s
 *
 * Threads: OMP_NUM_THREADS, bound by OMP_PROC_BIND=true OMP_PLACES=cores. */
#include "harness/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation { COPY, ADD, TRIAD, OPERATION_COUNT };
static const char *const names[] = {"copy", "add", "triad"};
static const double SCALAR = 3;

static void pass(enum operation operation, const double *restrict a, const double *restrict b,
                 double *restrict c, long count)
{
    switch (operation) {
    case COPY:
#pragma omp parallel for schedule(static)
        for (long i = 0; i < count; i++)
            c[i] = a[i];
        break;
    case ADD:
#pragma omp parallel for schedule(static)
        for (long i = 0; i < count; i++)
            c[i] = a[i] + b[i];
        break;
    default:
#pragma omp parallel for schedule(static)
        for (long i = 0; i < count; i++)
            c[i] = a[i] + SCALAR * b[i];
    }
}

static double best_seconds(enum operation operation, double *memory, long count, int passes)
{
    double *a = memory, *b = memory + count, *c = memory + 2 * count, best = INFINITY;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; i++) {
        a[i] = 1 + (double)(i % 1024) / 1024;
        b[i] = 2 - (double)(i % 1024) / 1024;
        c[i] = 0;
    }
    for (int p = 0; p < passes; p++) {
        double start_seconds = clock_seconds();
        pass(operation, a, b, c, count);
        if (p > 0)
            best = fmin(best, clock_seconds() - start_seconds);
    }
    return c[count / 2] > 0 ? best : INFINITY;
}

int main(int argc, char **argv)
{
    int operation = 0;
    while (argc == 4 && operation < OPERATION_COUNT && strcmp(names[operation], argv[1]) != 0)
        operation++;
    long count = argc == 4 ? atol(argv[2]) : 0;
    int passes = argc == 4 ? atoi(argv[3]) : 0;
    double *memory = count > 0 ? aligned_alloc(64, 3 * (size_t)count * sizeof(double)) : NULL;
    if (!memory || operation == OPERATION_COUNT || passes < 2) {
        fprintf(stderr, "usage: stream_rules copy|add|triad ELEMENTS PASSES (at least 2)\n");
        return 2;
    }
    double seconds = best_seconds((enum operation)operation, memory, count, passes);
    printf("%.6e\n", (operation == COPY ? 2 : 3) * (double)count * sizeof(double) / seconds);
    free(memory);
    return 0;
}
