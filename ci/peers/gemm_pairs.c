/* The matrix product in pairs: our rung and a library by turns, so that what the machine does in
 * between touches both alike; prints the median of the ratios (above 1: ours is faster), their
 * quartiles, and the same of a library with itself, which shows what a difference is worth.
 *
 *     gemm_pairs PAIRS THREADS TYPE MxNxK[xBATCH] ...      TYPE: f32, f64, bf16, int8
 *
 * bf16 and int8 have no peer here: our two rungs are compared with each other. Which processor the
 * libraries take this one for is theirs to say: OPENBLAS_CORETYPE, BLIS_ARCH_TYPE. Matrices lie on
 * huge pages, the same for both. */
#include "harness/base/clock.h"
#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_PAIRS = 99, MAX_THREADS = 64, PAGE = 1 << 21 };
static const double BATCH_SECONDS = 0.02; /* of one timing: launches are repeated until then */

struct device {
    struct device_info info;
    struct team *team;
};

const struct device_info *device_info(const struct device *device)
{
    return &device->info;
}

struct team *device_team(struct device *device)
{
    return device->team;
}

static void *map(size_t size)
{
    void *memory = aligned_alloc(PAGE, (size + PAGE) / PAGE * PAGE);
    madvise(memory, (size + PAGE) / PAGE * PAGE, MADV_HUGEPAGE);
    memset(memory, 0, size);
    return memory;
}

static void fill(enum gemm_type type, void *array, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)((i * 7919 + i / 4093) % 127 - 63) / 8;
        uint32_t bits;
        memcpy(&bits, &value, sizeof(bits));
        switch (type) {
        case GEMM_F32: ((float *)array)[i] = value; break;
        case GEMM_F64: ((double *)array)[i] = (double)value; break;
        case GEMM_BF16: ((uint16_t *)array)[i] = (uint16_t)(bits >> 16); break;
        default: ((int8_t *)array)[i] = (int8_t)(value * 8); break;
        }
    }
}

static double time_launches(struct device *device, const struct kernel *kernel,
                            const struct gemm_args *args, int64_t launches)
{
    const double start_seconds = clock_seconds();
    for (int64_t i = 0; i < launches; i++)
        if (kernel->launch(device, args, 0, 1) != STATUS_OK)
            error_print("gemm_pairs");
    return (clock_seconds() - start_seconds) / (double)launches;
}

/* The best of three timings. */
static double time_best(struct device *device, const struct kernel *kernel,
                        const struct gemm_args *args)
{
    const double once = time_launches(device, kernel, args, 1);
    const int64_t launches = once < BATCH_SECONDS ? (int64_t)(BATCH_SECONDS / once) + 1 : 1;
    double best = INFINITY;
    for (int i = 0; i < 3; i++)
        best = fmin(best, time_launches(device, kernel, args, launches));
    return best;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_pairs(struct device *device, const struct kernel *ours, const struct kernel *theirs,
                      const struct gemm_args *args, int pairs)
{
    double ratio[MAX_PAIRS], rate[MAX_PAIRS];
    time_launches(device, ours, args, 2);
    time_launches(device, theirs, args, 2);
    for (int i = 0; i < pairs; i++) {
        double seconds[2];
        for (int j = 0; j < 2; j++) /* who is first, changes */
            seconds[(i + j) % 2] = time_best(device, (i + j) % 2 ? theirs : ours, args);
        ratio[i] = seconds[1] / seconds[0];
        rate[i] = gemm_operations(args) / seconds[0];
    }
    qsort(ratio, (size_t)pairs, sizeof(double), compare);
    qsort(rate, (size_t)pairs, sizeof(double), compare);
    printf("  %-8s / %-8s %6.3f  (%.3f .. %.3f)   %8.2f Gop/s\n", ours->name, theirs->name,
           ratio[pairs / 2], ratio[pairs / 4], ratio[pairs - 1 - pairs / 4],
           1e-9 * rate[pairs / 2]);
    fflush(stdout);
}

static void run_shape(struct device *device, struct gemm_args *args, int pairs)
{
    const int threads = team_size(device->team);
    const struct kernel *const peers[] = {&gemm_cpu_openblas, &gemm_cpu_blis, NULL};
    const bool narrow = args->type == GEMM_BF16 || args->type == GEMM_INT8;
    const int64_t a_count = args->batch * args->m * args->k;
    const int64_t b_count = args->batch * args->k * args->n;
    void *a = map((size_t)(a_count * gemm_element_bytes(args->type)));
    void *b = map((size_t)(b_count * gemm_element_bytes(args->type)));
    fill(args->type, a, a_count);
    fill(args->type, b, b_count);
    args->a = a;
    args->b = b;
    args->c = map((size_t)(args->batch * args->m * args->n * gemm_sum_bytes(args->type)));
    size_t space = gemm_cpu_packed.workspace_bytes(args, threads);
    if (narrow && gemm_cpu_dot.workspace_bytes(args, threads) > space)
        space = gemm_cpu_dot.workspace_bytes(args, threads);
    args->workspace = map(space);
    printf("%s %ld x %ld x %ld, batch %ld, %d threads\n", gemm_type_names[args->type],
           (long)args->m, (long)args->n, (long)args->k, (long)args->batch, threads);
    if (narrow && gemm_cpu_dot.supports(args) == STATUS_OK)
        run_pairs(device, &gemm_cpu_dot, &gemm_cpu_packed, args, pairs);
    for (int i = 0; peers[i] && !narrow; i++) {
        if (peers[i]->supports && peers[i]->supports(args) != STATUS_OK) {
            error_print("gemm_pairs");
            continue;
        }
        run_pairs(device, &gemm_cpu_packed, peers[i], args, pairs);
    }
    run_pairs(device, &gemm_cpu_packed, &gemm_cpu_packed, args, pairs);
    free(args->workspace);
    free(args->c);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    const int pairs = argc > 4 ? atoi(argv[1]) : 0, threads = argc > 4 ? atoi(argv[2]) : 0;
    int type = 0;
    while (argc > 4 && gemm_type_names[type] && strcmp(gemm_type_names[type], argv[3]) != 0)
        type++;
    if (pairs < 1 || pairs > MAX_PAIRS || threads < 1 || threads > MAX_THREADS ||
        !gemm_type_names[type]) {
        fprintf(stderr, "usage: gemm_pairs PAIRS THREADS TYPE MxNxK[xBATCH] ...\n");
        return 2;
    }
    struct device device = {.info = {.thread_count = threads}};
    for (int i = 0; i < threads; i++)
        device.info.cpus[i] = i;
    if (kernels_cpu_choose(getenv("RIDGE_ISA")) != STATUS_OK ||
        team_open(device.info.cpus, threads, &device.team) != STATUS_OK) {
        error_print("gemm_pairs");
        return 1;
    }
    for (int i = 4; i < argc; i++) {
        long m, n, k, batch = 1;
        if (sscanf(argv[i], "%ldx%ldx%ldx%ld", &m, &n, &k, &batch) < 3)
            continue;
        struct gemm_args args = {
            .type = (enum gemm_type)type, .m = m, .n = n, .k = k, .batch = batch};
        run_shape(&device, &args, pairs);
    }
    team_close(device.team);
    return 0;
}
