/* What each library says about itself, and how it is told the number of threads. A library is
 * known by its symbols, not by its file's name: libblas.so.3 may be any of them. */
#include "kernels/blas/blas.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A symbol by its name, as a function of the type that stands on the left. */
#define FIND(function, handle, name) (*(void **)&(function) = dlsym(handle, name))

static void copy_word(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%.*s", (int)strcspn(from, " "), from);
}

static void note_forced(struct blas *blas, const char *variable)
{
    const char *value = getenv(variable);
    if (value && *value)
        snprintf(blas->forced, sizeof(blas->forced), "%s=%s", variable, value);
}

static enum status refuse_wide(const struct blas *blas, const char *says)
{
    return FAIL(STATUS_BAD_ARGUMENT,
                "%s takes 64-bit integers (%s), and ridge passes 32-bit ones: give its other build",
                blas->path, says);
}

/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Cooperlake MAX_THREADS=64". */
static enum status identify_openblas(struct blas *blas, const char *config)
{
    static const char *const threading[] = {"sequential", "pthreads", "OpenMP"};
    const char *(*core)(void);
    int (*parallel)(void);
    if (strstr(config, "USE64BITINT"))
        return refuse_wide(blas, "USE64BITINT");
    snprintf(blas->name, sizeof(blas->name), "OpenBLAS");
    if (strncmp(config, "OpenBLAS ", strlen("OpenBLAS ")) == 0)
        copy_word(blas->version, sizeof(blas->version), config + strlen("OpenBLAS "));
    if (FIND(core, blas->handle, "openblas_get_corename"))
        copy_word(blas->core, sizeof(blas->core), core());
    if (FIND(parallel, blas->handle, "openblas_get_parallel") && parallel() >= 0 && parallel() <= 2)
        snprintf(blas->threading, sizeof(blas->threading), "%s", threading[parallel()]);
    blas->keeps_workers = strcmp(blas->threading, "pthreads") == 0;
    if (strcmp(blas->threading, "sequential") != 0)
        FIND(blas->set_threads, blas->handle, "openblas_set_num_threads");
    note_forced(blas, "OPENBLAS_CORETYPE");
    return STATUS_OK;
}

/* BLIS before 1.0 aborts the process where BLIS_ARCH_TYPE is not the number of one of its
 * configurations; those of 0.9.0 end with "generic". A number of another architecture's
 * configuration still passes here, and BLIS then says so itself. */
static enum status check_arch_type(const struct blas *blas, const char *(*arch_name)(int))
{
    const char *text = getenv("BLIS_ARCH_TYPE");
    if (!text || !*text || blas->version[0] != '0' || !arch_name)
        return STATUS_OK;
    char *end;
    const long wanted = strtol(text, &end, 10);
    long last = 0;
    while (arch_name((int)last) && strcmp(arch_name((int)last), "generic") != 0)
        last++;
    if (!isdigit((unsigned char)text[0]) || *end || wanted > last)
        return FAIL(
            STATUS_BAD_ARGUMENT,
            "BLIS_ARCH_TYPE=%s is no configuration of BLIS %s, which would abort: unset it, "
            "or give a number from 0 to %ld",
            text, blas->version, last);
    return STATUS_OK;
}

static bool says_yes(const struct blas *blas, const char *question)
{
    long (*answer)(void);
    return FIND(answer, blas->handle, question) && (int)answer() != 0;
}

static enum status identify_blis(struct blas *blas, const char *version)
{
    const char *(*arch_name)(int);
    int (*arch)(void);
    void (*init)(void);
    long (*integer_bits)(void);
    snprintf(blas->name, sizeof(blas->name), "BLIS");
    copy_word(blas->version, sizeof(blas->version), version);
    if (FIND(integer_bits, blas->handle, "bli_info_get_blas_int_type_size") &&
        (int)integer_bits() == 64)
        return refuse_wide(blas, "bli_info_get_blas_int_type_size");

    FIND(arch_name, blas->handle, "bli_arch_string");
    TRY(check_arch_type(blas, arch_name));
    if (FIND(init, blas->handle, "bli_init"))
        init(); /* the choice of kernels may be asked for only behind it */
    if (arch_name && FIND(arch, blas->handle, "bli_arch_query_id") && arch_name(arch()))
        copy_word(blas->core, sizeof(blas->core), arch_name(arch()));
    const char *threading = says_yes(blas, "bli_info_get_enable_openmp")     ? "OpenMP"
                            : says_yes(blas, "bli_info_get_enable_pthreads") ? "pthreads"
                                                                             : "sequential";
    snprintf(blas->threading, sizeof(blas->threading), "%s", threading);
    if (strcmp(threading, "sequential") != 0)
        FIND(blas->set_threads_wide, blas->handle, "bli_thread_set_num_threads");
    note_forced(blas, "BLIS_ARCH_TYPE");
    return STATUS_OK;
}

/* "... Math Kernel Library Version 2023.1-Product Build ...", by Intel's reference. Not tried with
 * the library itself. */
static enum status identify_mkl(struct blas *blas, void (*version)(char *text, int size))
{
    char text[256] = "";
    const char *layer = getenv("MKL_INTERFACE_LAYER");
    if (layer && strstr(layer, "ILP64"))
        return refuse_wide(blas, "MKL_INTERFACE_LAYER=ILP64");
    snprintf(blas->name, sizeof(blas->name), "MKL");
    version(text, (int)sizeof(text) - 1);
    const char *number = strstr(text, "Version ");
    if (number)
        copy_word(blas->version, sizeof(blas->version), number + strlen("Version "));
    FIND(blas->set_threads, blas->handle, "MKL_Set_Num_Threads");
    note_forced(blas, "MKL_DEBUG_CPU_TYPE");
    return STATUS_OK;
}

enum status blas_identify(struct blas *blas)
{
    const char *(*config)(void), *(*blis_version)(void);
    void (*mkl_version)(char *text, int size);
    if (FIND(config, blas->handle, "openblas_get_config"))
        return identify_openblas(blas, config());
    if (FIND(blis_version, blas->handle, "bli_info_get_version_str"))
        return identify_blis(blas, blis_version());
    if (FIND(mkl_version, blas->handle, "MKL_Get_Version_String"))
        return identify_mkl(blas, mkl_version);
    if (FIND(blas->set_threads, blas->handle, "omp_set_num_threads"))
        snprintf(blas->threading, sizeof(blas->threading), "OpenMP");
    return STATUS_OK;
}
