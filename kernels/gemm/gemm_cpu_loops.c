/* What the CPU's teaching rungs share: who computes which rows, and by which loop. */
#include "kernels/gemm/gemm_cpu_loops.h"

#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "isa_list.h"
#include "kernels/kernels.h"

#include <stdio.h>

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    SLAB_ROWS = 8, /* of naive and order; where threads are more, they share rows, too */
    SLAB_TILES = 2,
    PART_ROWS = 8, /* of tiles: fewer rows per thread would use a tile too seldom */
};

#define DECLARE_TYPES(rung, set)                                                                   \
    void gemm_##rung##_loop_##set##_gemm_f32(const struct gemm_block *block);                      \
    void gemm_##rung##_loop_##set##_gemm_f64(const struct gemm_block *block);                      \
    void gemm_##rung##_loop_##set##_gemm_bf16(const struct gemm_block *block);                     \
    void gemm_##rung##_loop_##set##_gemm_int8(const struct gemm_block *block);

#define ROW_TYPES(rung, set)                                                                       \
    {                                                                                              \
        [GEMM_F32] = gemm_##rung##_loop_##set##_gemm_f32,                                          \
        [GEMM_F64] = gemm_##rung##_loop_##set##_gemm_f64,                                          \
        [GEMM_BF16] = gemm_##rung##_loop_##set##_gemm_bf16,                                        \
        [GEMM_INT8] = gemm_##rung##_loop_##set##_gemm_int8                                         \
    }

#define DECLARE(set, name, vector_bytes) DECLARE_TYPES(order, set) DECLARE_TYPES(tiles, set)
DECLARE_TYPES(naive, reference)
ISA_LIST(DECLARE)

#define ORDER_ROW(set, name, vector_bytes) ROW_TYPES(order, set),
#define TILES_ROW(set, name, vector_bytes) ROW_TYPES(tiles, set),
static const gemm_loop naive_loops[GEMM_CPU_TYPE_COUNT] = ROW_TYPES(naive, reference);
static const gemm_loop order_loops[][GEMM_CPU_TYPE_COUNT] = {ISA_LIST(ORDER_ROW)};
static const gemm_loop tiles_loops[][GEMM_CPU_TYPE_COUNT] = {ISA_LIST(TILES_ROW)};

struct job {
    const struct kernel *kernel;
    const struct gemm_args *args;
    gemm_loop loop;
    int64_t part_rows; /* rows that a thread has to itself, where there are as many */
    int64_t first_unit, unit_count;
};

/* Rows first .. end - 1 of all matrices, of which this thread computes `columns` from `column`. */
static void run_rows(const struct job *job, int64_t first, int64_t end, int64_t column,
                     int64_t columns)
{
    const struct gemm_args *args = job->args;
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    const int64_t sum_bytes = gemm_sum_bytes(args->type);
    while (first < end) {
        const int64_t matrix = first / args->m, matrix_end = (matrix + 1) * args->m;
        const int64_t rows = (end < matrix_end ? end : matrix_end) - first;
        const struct gemm_block block = {
            .a = (const char *)args->a + first * args->k * stored_bytes,
            .b = (const char *)args->b + (matrix * args->k * args->n + column) * stored_bytes,
            .c = (char *)args->c + (first * args->n + column) * sum_bytes,
            .rows = rows,
            .columns = columns,
            .k = args->k,
            .n = args->n,
        };
        job->loop(&block);
        first += rows;
    }
}

/* A unit's rows are shared out; where they are too few for that, threads share rows and split the
 * columns. Without that, 96 threads would leave 88 of them idle over a slab of 8 rows. */
static void run_unit(const struct job *job, int64_t unit, int thread, int thread_count)
{
    int64_t first, count;
    gemm_unit_rows(job->kernel, job->args, unit, &first, &count);
    int64_t groups = count / job->part_rows;
    groups = groups < 1 ? 1 : groups > thread_count ? thread_count : groups;
    const int64_t group = thread * groups / thread_count;
    const int64_t leader = (group * thread_count + groups - 1) / groups;
    const int64_t behind = ((group + 1) * thread_count + groups - 1) / groups;

    const int64_t n = job->args->n, line = LINE_BYTES / gemm_sum_bytes(job->args->type);
    const int members = (int)(behind - leader), member = (int)(thread - leader);
    const int64_t column = team_part_begin(n, line, member, members);
    const int64_t columns = team_part_begin(n, line, member + 1, members) - column;
    if (columns > 0)
        run_rows(job, first + count * group / groups, first + count * (group + 1) / groups, column,
                 columns);
}

static void run_part(void *untyped, int thread, int thread_count)
{
    const struct job *job = untyped;
    const int64_t units = job->kernel->units(job->args);
    int64_t unit = job->first_unit % units;
    for (int64_t i = 0; i < job->unit_count; i++) {
        run_unit(job, unit, thread, thread_count);
        unit = unit + 1 < units ? unit + 1 : 0;
    }
}

static enum status launch_naive(struct device *device, const void *untyped, int64_t first_unit,
                                int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    struct job job = {&gemm_cpu_naive, args, naive_loops[args->type], 1, first_unit, unit_count};
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

static enum status launch_order(struct device *device, const void *untyped, int64_t first_unit,
                                int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    const gemm_loop loop = order_loops[kernels_cpu_isa()][args->type];
    struct job job = {&gemm_cpu_order, args, loop, 1, first_unit, unit_count};
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

static enum status launch_tiles(struct device *device, const void *untyped, int64_t first_unit,
                                int64_t unit_count)
{
    const struct gemm_args *args = untyped;
    const gemm_loop loop = tiles_loops[kernels_cpu_isa()][args->type];
    struct job job = {&gemm_cpu_tiles, args, loop, PART_ROWS, first_unit, unit_count};
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

/* Slabs of some GEMM_WHOLE_OPERATIONS each, but of at least so many rows. */
static int64_t count_units(const struct gemm_args *args, int64_t slab_rows)
{
    const double wanted = gemm_operations(args) / GEMM_WHOLE_OPERATIONS;
    const int64_t most = args->batch * args->m / slab_rows;
    if (wanted <= 1 || most <= 1)
        return 1;
    return wanted < (double)most ? (int64_t)wanted : most;
}

static int64_t units_of_rows(const void *args)
{
    return count_units(args, SLAB_ROWS);
}

static int64_t units_of_tiles(const void *args)
{
    return count_units(args, (int64_t)SLAB_TILES * GEMM_TILE_ROWS);
}

/* ---- What each rung moves; derived in its own file. */

static double count_multiply_adds(const struct gemm_args *args)
{
    return gemm_operations(args) / 2;
}

static double count_b_bytes(const struct gemm_args *args)
{
    return (double)(args->k * args->n * gemm_element_bytes(args->type));
}

static bool traffic_naive(const void *untyped, struct kernel_traffic *traffic)
{
    const struct gemm_args *args = untyped;
    const int64_t row_bytes = args->n * gemm_element_bytes(args->type);
    const bool whole_lines = row_bytes > LINE_BYTES;
    const double column_bytes = (double)args->k * LINE_BYTES;
    *traffic = (struct kernel_traffic){
        .bytes = count_multiply_adds(args) *
                 (double)(whole_lines ? LINE_BYTES : gemm_element_bytes(args->type)),
        .set_bytes =
            whole_lines && row_bytes % PAGE_BYTES != 0 ? column_bytes : count_b_bytes(args),
        .what = whole_lines ? "B, one line per multiply-add" : "B, one element per multiply-add",
    };
    return true;
}

static bool traffic_order(const void *untyped, struct kernel_traffic *traffic)
{
    const struct gemm_args *args = untyped;
    *traffic = (struct kernel_traffic){
        .bytes = count_multiply_adds(args) * (double)gemm_element_bytes(args->type),
        .set_bytes = count_b_bytes(args),
        .what = "B, one element per multiply-add",
    };
    return true;
}

/* Loads alone: stores leave the core by a way of their own. */
static bool traffic_tiles(const void *untyped, struct kernel_traffic *traffic)
{
    const struct gemm_args *args = untyped;
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    const int64_t sum_bytes = gemm_sum_bytes(args->type);
    *traffic = (struct kernel_traffic){
        .bytes = count_multiply_adds(args) * ((double)stored_bytes + (double)sum_bytes / 4),
        .set_bytes = GEMM_TILE_BYTES + (double)(GEMM_TILE_COLUMNS * sum_bytes),
        .what = "a tile of B, one element per multiply-add, and a quarter of one of C",
    };
    return true;
}

static void describe_tiles(const void *untyped, int thread_count, char *text, size_t size)
{
    (void)thread_count;
    const struct gemm_args *args = untyped;
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    snprintf(text, size, "tiles of B of %d x %d, each for %d rows of C",
             (int)(GEMM_TILE_BYTES / GEMM_TILE_COLUMNS / stored_bytes), GEMM_TILE_COLUMNS,
             GEMM_TILE_ROWS);
}

const struct kernel gemm_cpu_naive = {
    .name = "naive",
    .idea = "a row of A times a column of B, one multiply-add after the other",
    .launch = launch_naive,
    .limit = "B is read down its columns, a cache line for each multiply-add, into one sum",
    .supports = gemm_cpu_supports,
    .units = units_of_rows,
    .traffic = traffic_naive,
};

const struct kernel gemm_cpu_order = {
    .name = "order",
    .idea = "the loops in another order, so that rows are read as they lie, in vectors",
    .launch = launch_order,
    .limit = "all of B is fetched again for each row of C, and each element fetched is used once",
    .supports = gemm_cpu_supports,
    .units = units_of_rows,
    .traffic = traffic_order,
};

const struct kernel gemm_cpu_tiles = {
    .name = "tiles",
    .idea = "a tile of B stays in the L1 cache while many rows use it, four of its rows at a time",
    .launch = launch_tiles,
    .limit =
        "B is loaded for each multiply-add and C for every fourth, across cache lines: sums and "
        "operands do not stay in registers",
    .supports = gemm_cpu_supports,
    .units = units_of_tiles,
    .describe = describe_tiles,
    .traffic = traffic_tiles,
};
