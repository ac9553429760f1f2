/* What both CPU rungs of the stream family share: who does which part, and which loop does it. */
#include "kernels/stream/stream_cpu.h"

#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "isa_list.h"
#include "kernels/kernels.h"

#include <stddef.h>

extern const struct stream_loops stream_loops_reference_f32, stream_loops_reference_f64;

static const struct stream_loops *const reference_loops[STREAM_TYPE_COUNT] = {
    [STREAM_F32] = &stream_loops_reference_f32,
    [STREAM_F64] = &stream_loops_reference_f64,
};

#define DECLARE(set, name, vector_bytes)                                                           \
    extern const struct stream_loops stream_loops_##set##_f32, stream_loops_##set##_f64;
ISA_LIST(DECLARE)

#define ROW(set, name, vector_bytes)                                                               \
    {[STREAM_F32] = &stream_loops_##set##_f32, [STREAM_F64] = &stream_loops_##set##_f64},
static const struct stream_loops *const vector_loops[][STREAM_TYPE_COUNT] = {ISA_LIST(ROW)};

static const int64_t element_bytes[STREAM_TYPE_COUNT] = {
    [STREAM_F32] = sizeof(float),
    [STREAM_F64] = sizeof(double),
};

struct job {
    const struct stream_args *args;
    stream_loop loop;
    int64_t passes;
};

static void run_part(void *untyped, int thread, int thread_count)
{
    const struct job *job = untyped;
    const struct stream_args *args = job->args;
    const int64_t granule = stream_granule(args->type), bytes = element_bytes[args->type];
    const int64_t begin = team_part_begin(args->count, granule, thread, thread_count);
    const int64_t end = team_part_begin(args->count, granule, thread + 1, thread_count);
    const int64_t c_index = args->op == STREAM_READ ? thread : begin;
    const struct stream_part part = {
        .a = args->a ? (const char *)args->a + begin * bytes : NULL,
        .b = args->b ? (const char *)args->b + begin * bytes : NULL,
        .c = (char *)args->c + c_index * bytes,
        .count = end - begin,
        .passes = job->passes,
        .scalar = args->scalar,
    };
    job->loop(&part);
}

static enum status launch(struct device *device, const struct stream_loops *loops,
                          const struct stream_args *args, int64_t passes)
{
    struct job job = {args, loops->loop[args->op][args->store], passes};
    if (!job.loop)
        return FAIL(STATUS_SKIP,
                    "the reference kernel has no %s stores; use --kernel vector for them",
                    stream_store_names[args->store]);
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

/* A unit is a whole pass, so which of them is asked for makes no difference. */
static enum status launch_reference(struct device *device, const void *untyped, int64_t first_unit,
                                    int64_t unit_count)
{
    (void)first_unit;
    const struct stream_args *args = untyped;
    return launch(device, reference_loops[args->type], args, unit_count);
}

static enum status launch_vector(struct device *device, const void *untyped, int64_t first_unit,
                                 int64_t unit_count)
{
    (void)first_unit;
    const struct stream_args *args = untyped;
    return launch(device, vector_loops[kernels_cpu_isa()][args->type], args, unit_count);
}

const struct kernel stream_cpu_reference = {
    .name = "reference",
    .idea = "a plain loop, one element at a time",
    .launch = launch_reference,
};

const struct kernel stream_cpu_vector = {
    .name = "vector",
    .idea = "whole vectors, eight per iteration, with non-temporal stores where asked",
    .launch = launch_vector,
};
