/* Five loops around the micro-kernel, after Goto and van de Geijn (Anatomy of High-Performance
 * Matrix Multiplication, 2008), with the roles of A and B exchanged, since C lies in rows:
 *
 *     for each depth block of k              a product of tall A by flat B, added to C
 *       for each block of rows of A          packed; lies in L3, or where it finds room
 *         for each block of columns of B     packed; lies in L2
 *           for each sliver of A             lies in L1 while it meets all slivers of B
 *             for each sliver of B           the micro-kernel: streams from L2
 *
 * Block sizes, by what they have to fit into on common caches; they are not adapted to those at
 * hand (on Zen 4, a depth of 3 KiB per row in place of 2 was as fast in f64):
 *
 *     depth     a sliver of A, 8 rows, is half of a 32 KiB L1:   2 KiB per row
 *     columns   the block of B is half of a 1 MiB L2:            240 x 2 KiB = 480 KiB
 *     rows      the block of A is a thread's share of L3:        1008 x 2 KiB = 2 MiB
 *
 * 240 and 1008 are multiples of all tiles' widths and heights. An element of A is packed
 * once, one of B once per block of rows, which 1008 rows make cheap.
 *
 * Threads share nothing but C, of which each has a part of its own (gemm_cpu_split.h), and so need
 * no barrier. The price: threads that need the same block of A or B pack it twice, which is the
 * less the larger their parts are, each element packed being used by a whole row or column of
 * tiles. */
#include "kernels/gemm/gemm_cpu_blocking.h"

#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "kernels/gemm/gemm_cpu_direct.h"
#include "kernels/gemm/gemm_cpu_split.h"
#include "kernels/kernels.h"

#include <stdio.h>

enum {
    DEPTH_BYTES = 2048,
    BLOCK_COLUMNS = 240,
    BLOCK_ROWS = 1008,
    LINE_BYTES = 64,
    BATCH_PARTS = 4, /* matrices per thread from which on each has whole ones */
};

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t round_up(int64_t x, int64_t granule)
{
    return (x + granule - 1) / granule * granule;
}

/* The size of equal blocks, each at most `most`: no short one is left for the end. */
static int64_t block_size(int64_t count, int64_t most, int64_t granule)
{
    const int64_t blocks = (count + most - 1) / most;
    return least(round_up((count + blocks - 1) / blocks, granule), most);
}

/* ---- A thread's memory: a block of A, a block of B, and what the sums of B's columns begin with.
 */

struct space {
    char *a, *b, *start;
};

struct space_bytes {
    int64_t a, b, start;
};

static int64_t depth_limit(const struct gemm_args *args, const struct gemm_micro *micro)
{
    return DEPTH_BYTES / gemm_sum_bytes(args->type) * micro->products;
}

static struct space_bytes count_space(const struct gemm_args *args, const struct gemm_micro *micro)
{
    const int64_t lane_bytes = gemm_sum_bytes(args->type);
    const int64_t depth = least(args->k, depth_limit(args, micro));
    const int64_t steps = (depth + micro->products - 1) / micro->products;
    const int64_t rows = round_up(least(args->m, BLOCK_ROWS), micro->rows);
    const int64_t columns =
        round_up(least(args->n, BLOCK_COLUMNS), (int64_t)micro->vectors * micro->lanes);
    return (struct space_bytes){
        .a = round_up(rows * steps * lane_bytes, LINE_BYTES),
        .b = round_up(columns * steps * lane_bytes, LINE_BYTES),
        .start = round_up(columns * lane_bytes, LINE_BYTES),
    };
}

size_t gemm_blocked_workspace_bytes(const struct gemm_args *args,
                                    const struct gemm_blocked *blocked, int thread_count)
{
    if (blocked->direct && gemm_direct_suits(args, blocked->micro))
        return 0;
    const struct space_bytes bytes = count_space(args, blocked->micro);
    return (size_t)((bytes.a + bytes.b + bytes.start) * thread_count);
}

/* ---- The loops, from the inside out. */

struct job {
    const struct gemm_args *args;
    const struct gemm_blocked *blocked;
    int64_t times;
    bool direct;
};

/* A block of A times one of B. `tile` holds the first tile of C. */
static void multiply_blocks(const struct gemm_micro *micro, const struct space *space,
                            const struct gemm_tile *first, int64_t rows, int64_t columns,
                            int64_t lane_bytes)
{
    const int64_t width = (int64_t)micro->vectors * micro->lanes;
    struct gemm_tile tile = *first;
    for (int64_t row = 0; row < rows; row += micro->rows) {
        const gemm_tile_loop *loops = micro->packed[least(micro->rows, rows - row) - 1];
        tile.a = space->a + row * tile.steps * lane_bytes;
        for (int64_t column = 0; column < columns; column += width) {
            tile.columns = (int)least(width, columns - column);
            tile.b = space->b + column * tile.steps * lane_bytes;
            tile.start = space->start + column * lane_bytes;
            tile.c = (char *)first->c + (row * tile.c_row + column) * lane_bytes;
            loops[(tile.columns - 1) / micro->lanes](&tile);
        }
    }
}

/* Rows [row, row + rows) of the part, for one depth block. */
static void multiply_rows(const struct job *job, const struct space *space,
                          const struct gemm_matrices *at, const struct gemm_part *part, int64_t row,
                          int64_t rows, int64_t l, int64_t depth)
{
    const struct gemm_args *args = job->args;
    const struct gemm_micro *micro = job->blocked->micro;
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    const int64_t lane_bytes = gemm_sum_bytes(args->type);
    const int64_t width = (int64_t)micro->vectors * micro->lanes;
    micro->pack_a(&(struct gemm_slab){
        .from = at->a + (row * args->k + l) * stored_bytes,
        .row = args->k,
        .rows = rows,
        .columns = depth,
        .to = space->a,
    });
    const int64_t size = block_size(part->column_end - part->column, BLOCK_COLUMNS, width);
    for (int64_t column = part->column; column < part->column_end; column += size) {
        const int64_t columns = least(size, part->column_end - column);
        micro->pack_b(&(struct gemm_slab){
            .from = at->b + (l * args->n + column) * stored_bytes,
            .row = args->n,
            .rows = depth,
            .columns = columns,
            .to = space->b,
            .start = space->start,
        });
        const struct gemm_tile tile = {
            .c = at->c + (row * args->n + column) * lane_bytes,
            .c_row = args->n,
            .steps = (depth + micro->products - 1) / micro->products,
            .add = l > 0,
        };
        multiply_blocks(micro, space, &tile, rows, columns, lane_bytes);
    }
}

static void multiply_part(const struct job *job, const struct space *space,
                          const struct gemm_matrices *at, const struct gemm_part *part)
{
    const struct gemm_args *args = job->args;
    const struct gemm_micro *micro = job->blocked->micro;
    if (part->row >= part->row_end || part->column >= part->column_end)
        return;
    if (job->direct) {
        gemm_direct_multiply(args, micro, job->blocked->direct, at, part);
        return;
    }
    const int64_t depth = block_size(args->k, depth_limit(args, micro), micro->products);
    const int64_t size = block_size(part->row_end - part->row, BLOCK_ROWS, micro->rows);
    for (int64_t l = 0; l < args->k; l += depth)
        for (int64_t row = part->row; row < part->row_end; row += size)
            multiply_rows(job, space, at, part, row, least(size, part->row_end - row), l,
                          least(depth, args->k - l));
}

/* ---- Threads share a matrix, or, where there are many, each has whole ones. */

static void multiply_batch(const struct job *job, const struct space *space, int thread,
                           int thread_count)
{
    const struct gemm_args *args = job->args;
    const struct gemm_micro *micro = job->blocked->micro;
    const bool whole = args->batch >= (int64_t)BATCH_PARTS * thread_count;
    const struct gemm_part part = whole
                                      ? (struct gemm_part){0, args->m, 0, args->n}
                                      : gemm_split(args->m, args->n, args->n == 1 ? 1 : micro->rows,
                                                   micro->lanes, thread, thread_count);
    const int64_t first = whole ? team_part_begin(args->batch, 1, thread, thread_count) : 0;
    const int64_t end =
        whole ? team_part_begin(args->batch, 1, thread + 1, thread_count) : args->batch;
    const int64_t stored_bytes = gemm_element_bytes(args->type);
    for (int64_t i = first; i < end; i++) {
        const struct gemm_matrices at = {
            .a = (const char *)args->a + i * args->m * args->k * stored_bytes,
            .b = (const char *)args->b + i * args->k * args->n * stored_bytes,
            .c = (char *)args->c + i * args->m * args->n * gemm_sum_bytes(args->type),
        };
        multiply_part(job, space, &at, &part);
    }
}

static void run_thread(void *untyped, int thread, int thread_count)
{
    const struct job *job = untyped;
    struct space space = {0};
    if (!job->direct) {
        const struct space_bytes bytes = count_space(job->args, job->blocked->micro);
        space.a = (char *)job->args->workspace + thread * (bytes.a + bytes.b + bytes.start);
        space.b = space.a + bytes.a;
        space.start = space.b + bytes.b;
    }
    for (int64_t i = 0; i < job->times; i++)
        multiply_batch(job, &space, thread, thread_count);
}

enum status gemm_blocked_launch(struct device *device, const struct gemm_args *args,
                                const struct gemm_blocked *blocked, int64_t times)
{
    const bool direct = blocked->direct && gemm_direct_suits(args, blocked->micro);
    struct job job = {args, blocked, times, direct};
    team_run(device_team(device), run_thread, &job);
    return STATUS_OK;
}

void gemm_blocked_describe(const struct gemm_args *args, const struct gemm_blocked *blocked,
                           char *text, size_t size)
{
    const struct gemm_micro *micro = blocked->micro;
    const bool direct = blocked->direct && gemm_direct_suits(args, micro);
    snprintf(text, size, "%d x %d sums in registers, %s, %s", micro->rows,
             micro->vectors * micro->lanes, direct ? "nothing packed" : "packed",
             kernels_cpu_isa_name());
}

/* Each tile reads its sliver of B from L2: a lane of B serves as many multiply-adds as a tile has
 * rows. */
bool gemm_blocked_traffic(const struct gemm_args *args, const struct gemm_blocked *blocked,
                          struct kernel_traffic *traffic)
{
    const struct gemm_micro *micro = blocked->micro;
    if (blocked->direct && gemm_direct_suits(args, micro))
        return false;
    const double lanes = gemm_operations(args) / 2 / micro->products;
    *traffic = (struct kernel_traffic){
        .bytes = lanes * (double)gemm_sum_bytes(args->type) / micro->rows,
        .set_bytes = (double)count_space(args, micro).b,
        .what = "the packed block of B, once per row of tiles",
    };
    return true;
}
