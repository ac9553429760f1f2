/* Which libraries are opened, what is known of them, and what is advised: by libraries made for
 * this (fake_blas.c), and by OpenBLAS and BLIS themselves where they are installed. */
#include "kernels/blas/blas.h"
#include "kernels/blas/blas_advice.h"
#include "kernels/gemm/gemm.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FAKE(name) FAKE_DIR "/lib" name ".so"

static void assert_message_has(const char *words)
{
    if (!strstr(error_message(), words))
        fail_msg("\"%s\" lacks \"%s\"", error_message(), words);
}

static void assert_advice(const char *implementation, const char *isa, const char *expected)
{
    char text[200];
    assert_true(blas_advice(implementation, isa, 0.5, text, sizeof(text)));
    assert_string_equal(text, expected);
}

static void a_library_is_known_by_what_it_says_of_itself(void **state)
{
    struct blas blas;
    char text[160];
    (void)state;
    unsetenv("OPENBLAS_CORETYPE");
    assert_int_equal(blas_load(FAKE("fake_haswell"), &blas), STATUS_OK);
    assert_string_equal(blas.name, "OpenBLAS");
    assert_string_equal(blas.path, FAKE("fake_haswell"));
    assert_string_equal(blas.core, "Haswell");
    assert_true(blas.keeps_workers);
    blas_describe(&blas, text, sizeof(text));
    assert_string_equal(text, "OpenBLAS 0.3.99 pthreads, core Haswell");
    dlclose(blas.handle);

    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    assert_int_equal(blas_load(FAKE("fake_haswell"), &blas), STATUS_OK);
    unsetenv("OPENBLAS_CORETYPE");
    blas_describe(&blas, text, sizeof(text));
    assert_string_equal(text, "OpenBLAS 0.3.99 pthreads, core Haswell, OPENBLAS_CORETYPE=Haswell");
    dlclose(blas.handle);
}

static void what_is_not_known_is_called_unknown(void **state)
{
    struct blas blas;
    char text[160];
    (void)state;
    assert_int_equal(blas_load(FAKE("fake_unknown"), &blas), STATUS_OK);
    blas_describe(&blas, text, sizeof(text));
    assert_string_equal(text, "libfake_unknown.so version unknown threads unknown, core unknown");
    dlclose(blas.handle);
}

static void what_is_no_cblas_is_refused_with_the_reason(void **state)
{
    struct blas blas;
    (void)state;
    assert_int_equal(blas_load(FAKE("fake_partial"), &blas), STATUS_BAD_ARGUMENT);
    assert_message_has("lacks cblas_dgemm");
    assert_int_equal(blas_load(FAKE("fake_wide"), &blas), STATUS_BAD_ARGUMENT);
    assert_message_has("64-bit integers");
    assert_int_equal(blas_load(TEST_DATA_DIR "/README.md", &blas), STATUS_BAD_ARGUMENT);
    assert_message_has("invalid ELF header");
    assert_int_equal(blas_load("/nowhere/libx.so", &blas), STATUS_BAD_ARGUMENT);
    assert_message_has("/nowhere/libx.so");
    assert_int_equal(blas_load("libm.so.6", &blas), STATUS_BAD_ARGUMENT);
    assert_message_has("lacks cblas_dgemm");
    assert_null(dlopen(FAKE("fake_wide"), RTLD_NOW | RTLD_NOLOAD)); /* nothing is left open */
}

static int fake_answer(const struct blas *blas, const char *question)
{
    int (*answer)(void);
    *(void **)&answer = dlsym(blas->handle, question);
    return answer();
}

static void note_processors(const struct blas *blas, const void *arg)
{
    (void)blas;
    cpu_set_t *seen = *(cpu_set_t *const *)arg;
    sched_getaffinity(0, sizeof(*seen), seen);
}

static void threads_are_said_once_and_the_caller_is_pinned_again(void **state)
{
    const struct device *device = *state;
    struct blas blas;
    cpu_set_t before, inside, after, *seen = &inside;
    assert_int_equal(blas_load(FAKE("fake_haswell"), &blas), STATUS_OK);
    sched_getaffinity(0, sizeof(before), &before);
    for (int call = 0; call < 3; call++) {
        assert_int_equal(blas_run(&blas, device->info.cpus, 2, note_processors, &seen), STATUS_OK);
        assert_int_equal(fake_answer(&blas, "fake_told_threads"), 2);
        assert_int_equal(fake_answer(&blas, "fake_told_count"), 1);
        sched_getaffinity(0, sizeof(after), &after);
        assert_true(CPU_EQUAL(&before, &after));
    }
    blas.keeps_workers = false; /* then each call may start some */
    assert_int_equal(blas_run(&blas, device->info.cpus, 2, note_processors, &seen), STATUS_OK);
    assert_true(CPU_ISSET(device->info.cpus[0], &inside) &&
                CPU_ISSET(device->info.cpus[1], &inside));
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
    assert_int_equal(blas_run(&blas, device->info.cpus, 1, note_processors, &seen), STATUS_OK);
    assert_int_equal(fake_answer(&blas, "fake_told_threads"), 1);
    assert_int_equal(fake_answer(&blas, "fake_told_count"), 2);
    assert_true(CPU_EQUAL(&before, &inside)); /* with one thread nothing is changed */
    dlclose(blas.handle);
}

static void what_cannot_be_told_a_number_of_threads_runs_one(void **state)
{
    const struct device *device = *state;
    struct blas blas;
    cpu_set_t inside, *seen = &inside;
    assert_int_equal(blas_load(FAKE("fake_unknown"), &blas), STATUS_OK);
    assert_int_equal(blas_run(&blas, device->info.cpus, 1, note_processors, &seen), STATUS_OK);
    assert_int_equal(blas_run(&blas, device->info.cpus, 2, note_processors, &seen), STATUS_SKIP);
    assert_message_has("threads=1");
    dlclose(blas.handle);
}

static void a_library_is_given_once_and_the_rung_says_when_there_is_none(void **state)
{
    const struct gemm_args args = {.type = GEMM_F32, .m = 1, .n = 1, .k = 1, .batch = 1};
    struct blas *blas, *again;
    (void)state;
    assert_int_equal(gemm_cpu_blas.supports(&args), STATUS_SKIP);
    assert_message_has("--blas PATH");
    assert_int_equal(blas_open_path(TEST_DATA_DIR "/README.md"), STATUS_BAD_ARGUMENT);
    assert_int_equal(blas_open_path(FAKE("fake_haswell")), STATUS_OK);
    assert_int_equal(gemm_cpu_blas.supports(&args), STATUS_OK);
    assert_int_equal(blas_open(BLAS_GIVEN, &blas), STATUS_OK);
    assert_int_equal(blas_open_path(FAKE("fake_haswell")), STATUS_OK);
    assert_int_equal(blas_open(BLAS_GIVEN, &again), STATUS_OK);
    assert_ptr_equal(blas, again);
    assert_int_equal(blas_open_path(FAKE("fake_unknown")), STATUS_BAD_ARGUMENT);
    assert_message_has("given already");
}

static void types_and_sizes_beyond_cblas_are_skipped_with_a_sentence(void **state)
{
    struct gemm_args args = {.type = GEMM_BF16, .m = 1, .n = 1, .k = 1, .batch = 1};
    (void)state;
    assert_int_equal(gemm_cpu_openblas.supports(&args), STATUS_SKIP);
    assert_message_has("CBLAS multiplies f32 and f64 only");
    args.type = GEMM_INT8;
    assert_int_equal(gemm_cpu_blis.supports(&args), STATUS_SKIP);
    assert_message_has("int8");
    args.type = GEMM_F64;
    args.k = (int64_t)INT_MAX + 1;
    assert_int_equal(gemm_cpu_openblas.supports(&args), STATUS_SKIP);
    assert_message_has("k=2147483648");
}

static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void openblas_starts_its_workers_when_told_and_each_has_its_processor(void **state)
{
    const struct device *device = *state;
    struct blas *blas;
    cpu_set_t inside, *seen = &inside;
    const int before = count_threads();
    cpu_set_t pinned, everywhere;
    sched_getaffinity(0, sizeof(pinned), &pinned);
    CPU_ZERO(&everywhere);
    for (int i = 0; i < THREADS; i++)
        CPU_SET(device->info.cpus[i], &everywhere);
    sched_setaffinity(0, sizeof(everywhere), &everywhere); /* a worker each, if it could have it */
    const enum status opened = blas_open(BLAS_OPENBLAS, &blas);
    sched_setaffinity(0, sizeof(pinned), &pinned);
    if (opened != STATUS_OK) {
        assert_message_has("libopenblas0-pthread");
        skip();
    }
    if (!blas->keeps_workers)
        skip();
    assert_int_equal(count_threads(), before);
    assert_int_equal(blas_run(blas, device->info.cpus, 2, note_processors, &seen), STATUS_OK);
    assert_int_equal(count_threads(), before + 1);
    assert_int_equal(blas->worker_count, 1);
    DIR *folder = opendir("/proc/self/task");
    pid_t newest = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        newest = atoi(entry->d_name) > newest ? atoi(entry->d_name) : newest;
    closedir(folder);
    cpu_set_t processors;
    assert_int_equal(sched_getaffinity(newest, sizeof(processors), &processors), 0);
    assert_int_equal(CPU_COUNT(&processors), 1);
    assert_true(CPU_ISSET(device->info.cpus[1], &processors));
    assert_int_equal(strncmp(blas->version, "0.", 2), 0);
    assert_string_not_equal(blas->core, "unknown");
}

static void blis_is_opened_once_and_a_wrong_arch_type_is_refused_before_it_aborts(void **state)
{
    struct blas *blas, *again, loaded;
    (void)state;
    setenv("BLIS_ARCH_TYPE", "99", 1);
    const enum status wrong = blas_load("libblis.so.4", &loaded);
    if (wrong == STATUS_BAD_ARGUMENT && strstr(error_message(), "No such file")) {
        unsetenv("BLIS_ARCH_TYPE");
        skip();
    }
    assert_int_equal(wrong, STATUS_BAD_ARGUMENT);
    assert_message_has("BLIS_ARCH_TYPE=99");
    setenv("BLIS_ARCH_TYPE", "skx", 1);
    assert_int_equal(blas_load("libblis.so.4", &loaded), STATUS_BAD_ARGUMENT);
    unsetenv("BLIS_ARCH_TYPE");
    assert_int_equal(blas_open(BLAS_BLIS, &blas), STATUS_OK);
    assert_int_equal(blas_open(BLAS_BLIS, &again), STATUS_OK);
    assert_ptr_equal(blas, again);
    assert_string_equal(blas->name, "BLIS");
    assert_string_not_equal(blas->core, "unknown");
    assert_string_not_equal(blas->threading, "unknown");
}

static void a_slow_library_is_explained_by_what_is_recorded_of_it(void **state)
{
    char text[200] = "?";
    (void)state;
    assert_false(blas_advice("BLIS 0.9.0 pthreads, core generic", "x86-64-v4", 0.6, text, 200));
    assert_false(blas_advice("cuBLASLt 13.1.0, NVIDIA_TF32_OVERRIDE=0", "sm_90", 0.1, text, 200));
    assert_string_equal(text, "");
    assert_advice("OpenBLAS 0.3.21 pthreads, core Haswell, OPENBLAS_CORETYPE=Haswell", "x86-64-v4",
                  "unset OPENBLAS_CORETYPE: it forces the kernels of Haswell");
    assert_advice("OpenBLAS 0.3.21 pthreads, core Zen", "x86-64-v4",
                  "OpenBLAS runs the kernels of Zen, which do not use this processor's AVX-512: "
                  "install a newer OpenBLAS");
    assert_advice("OpenBLAS 0.3.21 pthreads, core Zen", "x86-64-v3", "unknown cause");
    assert_advice("OpenBLAS 0.3.21 pthreads, core Cooperlake", "x86-64-v4", "unknown cause");
    assert_advice("OpenBLAS 0.3.21 pthreads, core Sandybridge", "x86-64-v3",
                  "OpenBLAS runs the kernels of Sandybridge, which do not use this processor's "
                  "AVX2: install a newer OpenBLAS");
    assert_advice("OpenBLAS 0.3.21 pthreads, core SkylakeX, OPENBLAS_CORETYPE=SkylakeX",
                  "x86-64-v4", "unknown cause");
    assert_advice("BLIS 0.9.0 pthreads, core generic", "x86-64-v4",
                  "BLIS runs its generic kernels on this processor: set BLIS_ARCH_TYPE=0 (skx, "
                  "AVX-512) or install another library");
    assert_advice("BLIS 0.9.0 pthreads, core generic", "x86-64-v3",
                  "BLIS runs its generic kernels on this processor: set BLIS_ARCH_TYPE=3 (haswell, "
                  "AVX2) or install another library");
    assert_advice("BLIS 0.9.0 pthreads, core generic", "armv8-neon",
                  "BLIS runs its generic kernels on this processor: install another library");
    assert_advice("BLIS 0.9.0 pthreads, core generic, BLIS_ARCH_TYPE=25", "x86-64-v4",
                  "unset BLIS_ARCH_TYPE: it forces the kernels of generic");
    assert_advice("libx.so version unknown threads unknown, core unknown", "x86-64-v4",
                  "unknown cause");
    assert_advice("", "", "unknown cause");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_known_by_what_it_says_of_itself),
        cmocka_unit_test(what_is_not_known_is_called_unknown),
        cmocka_unit_test(what_is_no_cblas_is_refused_with_the_reason),
        cmocka_unit_test(threads_are_said_once_and_the_caller_is_pinned_again),
        cmocka_unit_test(what_cannot_be_told_a_number_of_threads_runs_one),
        cmocka_unit_test(a_library_is_given_once_and_the_rung_says_when_there_is_none),
        cmocka_unit_test(types_and_sizes_beyond_cblas_are_skipped_with_a_sentence),
        cmocka_unit_test(openblas_starts_its_workers_when_told_and_each_has_its_processor),
        cmocka_unit_test(blis_is_opened_once_and_a_wrong_arch_type_is_refused_before_it_aborts),
        cmocka_unit_test(a_slow_library_is_explained_by_what_is_recorded_of_it),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
