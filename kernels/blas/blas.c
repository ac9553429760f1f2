/* Which libraries there are to open, and which are open. */
#include "kernels/blas/blas.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Where a library is looked for: by the loader, then in the folders of Debian and Ubuntu, which
 * hold those that are not the system's choice; "%s" is the architecture. */
static const char *const openblas_files[] = {
    "libopenblas.so.0",
    "libopenblas.so",
    "libopenblasp.so.0",
    "/usr/lib/%s-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/%s-linux-gnu/openblas-openmp/libopenblas.so.0",
    "/usr/lib/%s-linux-gnu/openblas-serial/libopenblas.so.0",
    NULL,
};

static const char *const blis_files[] = {
    "libblis.so.4",
    "libblis.so.3",
    "libblis.so",
    "/usr/lib/%s-linux-gnu/blis-pthread/libblis.so.4",
    "/usr/lib/%s-linux-gnu/blis-openmp/libblis.so.4",
    "/usr/lib/%s-linux-gnu/blis-serial/libblis.so.4",
    NULL,
};

static const struct {
    const char *name, *package;
    const char *const *files;
} known[] = {
    [BLAS_OPENBLAS] = {"OpenBLAS", "libopenblas0-pthread", openblas_files},
    [BLAS_BLIS] = {"BLIS", "libblis4-pthread", blis_files},
};

/* Handles of libraries belong to the process: what is open cannot be opened again elsewhere. */
static struct {
    struct blas storage;
    struct blas *blas; /* storage, or that of another kind from the same file; NULL: not open */
    char refusal[480]; /* why not, since the first attempt */
} slots[BLAS_KIND_COUNT];

/* The same file is the same library, with one number of threads. */
static void keep(enum blas_kind kind)
{
    slots[kind].blas = &slots[kind].storage;
    for (int other = 0; other < BLAS_KIND_COUNT; other++)
        if (other != (int)kind && slots[other].blas &&
            slots[other].blas->handle == slots[kind].storage.handle)
            slots[kind].blas = slots[other].blas;
}

static enum status find(enum blas_kind kind)
{
    struct utsname system;
    uname(&system);
    for (const char *const *file = known[kind].files; *file; file++) {
        char path[128];
        const char *architecture = strstr(*file, "%s");
        if (architecture)
            snprintf(path, sizeof(path), "%.*s%s%s", (int)(architecture - *file), *file,
                     system.machine, architecture + 2);
        else
            snprintf(path, sizeof(path), "%s", *file);
        if (blas_load(path, &slots[kind].storage) == STATUS_OK) {
            keep(kind);
            return STATUS_OK;
        }
        if (!strstr(error_message(), "No such file"))
            return FAIL(STATUS_SKIP, "%s", error_message()); /* it is there, and unusable */
    }
    return FAIL(STATUS_SKIP, "no %s on this machine: apt-get install %s, or name a BLAS by --blas",
                known[kind].name, known[kind].package);
}

enum status blas_open(enum blas_kind kind, struct blas **blas)
{
    if (!slots[kind].blas && !slots[kind].refusal[0]) {
        if (kind == BLAS_GIVEN)
            return FAIL(STATUS_SKIP, "no library was given: name one by --blas PATH");
        if (find(kind) != STATUS_OK)
            snprintf(slots[kind].refusal, sizeof(slots[kind].refusal), "%s", error_message());
    }
    if (!slots[kind].blas)
        return FAIL(STATUS_SKIP, "%s", slots[kind].refusal);
    *blas = slots[kind].blas;
    return STATUS_OK;
}

enum status blas_open_path(const char *path)
{
    struct blas opened;
    TRY(blas_load(path, &opened));
    if (slots[BLAS_GIVEN].blas) {
        if (slots[BLAS_GIVEN].blas->handle == opened.handle)
            return STATUS_OK;
        return FAIL(STATUS_BAD_ARGUMENT, "--blas %s: %s is given already, and a run has one", path,
                    slots[BLAS_GIVEN].blas->path);
    }
    slots[BLAS_GIVEN].storage = opened;
    keep(BLAS_GIVEN);
    return STATUS_OK;
}

void blas_describe(const struct blas *blas, char *text, size_t size)
{
    snprintf(text, size, "%.31s %s%s %s%s, core %s%s%s", blas->name,
             strcmp(blas->version, "unknown") == 0 ? "version " : "", blas->version,
             strcmp(blas->threading, "unknown") == 0 ? "threads " : "", blas->threading, blas->core,
             blas->forced[0] ? ", " : "", blas->forced);
}
