/* A library of NVIDIA's, opened by the loader: where LD_LIBRARY_PATH and ld.so.conf lead; behind
 * that in the folder of CUDA, which not every installer tells the loader of. */
#include "kernels/blas/cublas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status find_symbols(void *handle, const char *file, const struct cublas_symbol *symbols,
                                void *table)
{
    for (const struct cublas_symbol *symbol = symbols; symbol->name; symbol++) {
        void *function = dlsym(handle, symbol->name);
        if (!function)
            return FAIL(STATUS_SKIP,
                        "%s lacks %s: ridge needs the library of CUDA 11.8 or later, first in "
                        "LD_LIBRARY_PATH",
                        file, symbol->name);
        memcpy((char *)table + symbol->offset, &function, sizeof(function));
    }
    return STATUS_OK;
}

/* Sentences of the loader begin with the file that they are about. One that is there, and of which
 * a library that it needs is not, is unusable and not absent. */
static bool is_absent(const char *words, const char *file)
{
    return strncmp(words, file, strlen(file)) == 0 && strstr(words, "No such file");
}

/* The first of a folder's libraries of that name; in the folder "" the loader looks. *handle stays
 * NULL where there is none; STATUS_SKIP for one that is there and unusable. */
static enum status open_in(const char *folder, const char *library, const char *stem, char *file,
                           size_t size, void **handle)
{
    static const int majors[] = {CUBLAS_VER_MAJOR, 13, 12, 11, 0};
    for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++) {
        char ending[16] = "";
        if (majors[i])
            snprintf(ending, sizeof(ending), ".%d", majors[i]);
        snprintf(file, size, "%s%s%s.so%s", folder, *folder ? "/lib64/" : "", stem, ending);
        *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (*handle)
            return STATUS_OK;
        const char *words = dlerror();
        if (!is_absent(words, file))
            return FAIL(STATUS_SKIP, "cannot open %s (%s): %s", library, file, words);
    }
    return STATUS_OK;
}

enum status cublas_load(const char *library, const char *stem, const struct cublas_symbol *symbols,
                        void *table)
{
    const char *const folders[] = {"", getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char file[1024];
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof(folders) / sizeof(folders[0]); i++)
        if (folders[i])
            TRY(open_in(folders[i], library, stem, file, sizeof(file), &handle));
    if (!handle)
        return FAIL(STATUS_SKIP,
                    "no %s on this machine: install CUDA's libraries, or put the folder that holds "
                    "%s into LD_LIBRARY_PATH",
                    library, stem);
    const enum status status = find_symbols(handle, file, symbols, table);
    if (status != STATUS_OK)
        dlclose(handle);
    return status;
}

static enum status open_library(const char *library, const char *stem,
                                const struct cublas_symbol *symbols, struct cublas_head *head)
{
    int part[3] = {0};
    static const libraryPropertyType parts[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    TRY(cublas_load(library, stem, symbols, head));
    for (int i = 0; i < 3; i++)
        TRY(cublas_check(head, head->property(parts[i], &part[i]), symbols[0].name,
                         "this machine"));
    snprintf(head->version, sizeof(head->version), "%d.%d.%d", part[0], part[1], part[2]);
    return STATUS_OK;
}

enum status cublas_open_once(const char *library, const char *stem,
                             const struct cublas_symbol *symbols, void *table)
{
    struct cublas_head *head = table;
    if (!head->is_open && !head->refusal[0]) {
        head->is_open = open_library(library, stem, symbols, head) == STATUS_OK;
        if (!head->is_open)
            snprintf(head->refusal, sizeof(head->refusal), "%s", error_message());
    }
    return head->is_open ? STATUS_OK : FAIL(STATUS_SKIP, "%s", head->refusal);
}

enum status cublas_check(const struct cublas_head *head, cublasStatus_t code, const char *call,
                         const char *device)
{
    const char *answer = code == CUBLAS_STATUS_SUCCESS ? "" : head->status_text(code);
    switch (code) {
    case CUBLAS_STATUS_SUCCESS: return STATUS_OK;
    case CUBLAS_STATUS_NOT_INITIALIZED: /* of creating a handle: no driver, or one of another age */
        return FAIL(STATUS_SKIP,
                    "%s on %s: %s (%d): the driver may be older than this library; put the one of "
                    "its CUDA first in LD_LIBRARY_PATH",
                    call, device, answer, (int)code);
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return FAIL(STATUS_SKIP, "%s on %s: %s (%d): this library does not offer it here", call,
                    device, answer, (int)code);
    default: return FAIL(STATUS_DEVICE, "%s on %s: %s (%d)", call, device, answer, (int)code);
    }
}
