/* One file, opened and asked what it is. */
#include "kernels/blas/blas.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* OpenBLAS starts a worker per processor that its caller may use while it is loaded, with the
 * caller's processors, before anybody has said how many are wanted and where. On one processor it
 * starts none; blas_threads.c has them started later, in their places. */
static void *open_on_one_processor(const char *path)
{
    cpu_set_t before, one;
    const int cpu = sched_getcpu();
    bool narrowed = cpu >= 0 && sched_getaffinity(0, sizeof(before), &before) == 0;
    if (narrowed) {
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        narrowed = sched_setaffinity(0, sizeof(one), &one) == 0;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (narrowed)
        sched_setaffinity(0, sizeof(before), &before);
    return handle;
}

/* The file that was opened, where the loader knows it by a longer name. */
static void note_path(struct blas *blas, const char *path)
{
    Dl_info info;
    const bool known = dladdr((void *)blas->dgemm, &info) && info.dli_fname;
    snprintf(blas->path, sizeof(blas->path), "%s", known ? info.dli_fname : path);
}

static enum status use(struct blas *blas, const char *path)
{
    blas->dgemm = (blas_dgemm)dlsym(blas->handle, "cblas_dgemm");
    blas->sgemm = (blas_sgemm)dlsym(blas->handle, "cblas_sgemm");
    if (!blas->dgemm || !blas->sgemm)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "%s is no CBLAS: it lacks %s; give a library that has both cblas_sgemm and "
                    "cblas_dgemm",
                    path, blas->dgemm ? "cblas_sgemm" : "cblas_dgemm");
    note_path(blas, path);
    const char *file = strrchr(path, '/');
    snprintf(blas->name, sizeof(blas->name), "%s", file ? file + 1 : path);
    return blas_identify(blas);
}

enum status blas_load(const char *path, struct blas *blas)
{
    char here[sizeof(blas->path)];
    *blas = (struct blas){.version = "unknown", .threading = "unknown", .core = "unknown"};

    /* Without a slash the loader looks everywhere but here. */
    snprintf(here, sizeof(here), "./%s", path);
    const bool is_here = !strchr(path, '/') && access(here, F_OK) == 0;
    blas->handle = open_on_one_processor(is_here ? here : path);
    if (!blas->handle)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "cannot open %s as a BLAS library: %s; give the path of a shared library "
                    "(libopenblas.so.0)",
                    path, dlerror());
    const enum status status = use(blas, is_here ? here : path);
    if (status != STATUS_OK)
        dlclose(blas->handle);
    return status;
}
