/* The BLAS libraries of this machine, as a program would call them: by CBLAS, opened at run time
 * from their own files, so that several live in one process and each is known by name, version,
 * threads and the processor whose kernels it runs ("core").
 *
 * dlopen with RTLD_LOCAL keeps their equal names apart. A library is opened when it is first asked
 * for, never before (OpenBLAS starts threads, BLIS takes 12 MB), and never twice.
 *
 * Only builds with 32-bit integers are called. One thread uses this at a time.
 */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum blas_kind { BLAS_OPENBLAS, BLAS_BLIS, BLAS_GIVEN, BLAS_KIND_COUNT };

/* The values of CBLAS's own enumerations. */
enum { BLAS_ROW_MAJOR = 101, BLAS_AS_IT_LIES = 111 };

typedef void (*blas_sgemm)(int order, int a_form, int b_form, int m, int n, int k, float alpha,
                           const float *a, int a_stride, const float *b, int b_stride, float beta,
                           float *c, int c_stride);
typedef void (*blas_dgemm)(int order, int a_form, int b_form, int m, int n, int k, double alpha,
                           const double *a, int a_stride, const double *b, int b_stride,
                           double beta, double *c, int c_stride);

struct blas {
    char name[32];      /* "OpenBLAS", "BLIS", "MKL"; else the file's */
    char path[256];     /* the file that was opened */
    char version[32];   /* "0.3.21", "unknown" */
    char threading[16]; /* "pthreads", "OpenMP", "sequential", "unknown" */
    char core[32];      /* whose kernels it runs: "Cooperlake", "generic", "unknown" */
    char forced[64];    /* the variable that chose them: "OPENBLAS_CORETYPE=Haswell"; else "" */
    blas_sgemm sgemm;
    blas_dgemm dgemm;

    /* How to say the number of threads; all NULL where that cannot be said. */
    void (*set_threads)(int thread_count);
    void (*set_threads_wide)(long thread_count);
    bool keeps_workers; /* started when the number is said, not at each call */

    void *handle;
    int thread_count; /* said last; 0: nothing yet */
    int worker_count; /* pinned so far */
};

typedef void (*blas_body)(const struct blas *blas, const void *arg);

C_API_BEGIN

/* The library of that kind, opened at the first call. STATUS_SKIP with the remedy where there is
 * none, or it cannot be used; the same answer again at later calls. */
enum status blas_open(enum blas_kind kind, struct blas **blas);

/* Opens the library that blas_open(BLAS_GIVEN) gives: a path, or a name that the loader finds.
 * STATUS_BAD_ARGUMENT where that is no BLAS, or where another one was given before. */
enum status blas_open_path(const char *path);

/* Opens one file (blas_load.c): the part of the two above that knows no table. STATUS_BAD_ARGUMENT
 * with the loader's own words; nothing is left open then. */
enum status blas_load(const char *path, struct blas *blas);

/* What a library says about itself (blas_identify.c), from its symbols. */
enum status blas_identify(struct blas *blas);

/* Calls body with the library set to that many threads, on processors cpus[0 .. thread_count - 1];
 * the caller is pinned to cpus[0]. STATUS_SKIP where their number cannot be said. */
enum status blas_run(struct blas *blas, const int *cpus, int thread_count, blas_body body,
                     const void *arg);

/* "OpenBLAS 0.3.21 pthreads, core Cooperlake": what blas_advice reads. */
void blas_describe(const struct blas *blas, char *text, size_t size);

C_API_END
