/* What both CPU rungs of the intensity family share: who does which chunk, and by which loop. */
#include "kernels/intensity/intensity_cpu.h"

#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "isa_list.h"
#include "kernels/kernels.h"

#include <assert.h>

void intensity_loop_reference_f32(const struct intensity_part *part);
void intensity_loop_reference_f64(const struct intensity_part *part);

static const intensity_loop reference_loops[INTENSITY_TYPE_COUNT] = {
    [INTENSITY_F32] = intensity_loop_reference_f32,
    [INTENSITY_F64] = intensity_loop_reference_f64,
};

#define DECLARE(set, name, vector_bytes)                                                           \
    extern const struct intensity_loops intensity_loops_##set##_f32, intensity_loops_##set##_f64;
ISA_LIST(DECLARE)

#define ROW(set, name, vector_bytes)                                                               \
    {[INTENSITY_F32] = &intensity_loops_##set##_f32,                                               \
     [INTENSITY_F64] = &intensity_loops_##set##_f64},
static const struct intensity_loops *const vector_loops[][INTENSITY_TYPE_COUNT] = {ISA_LIST(ROW)};

static const int64_t element_bytes[INTENSITY_TYPE_COUNT] = {
    [INTENSITY_F32] = sizeof(float),
    [INTENSITY_F64] = sizeof(double),
};

const struct intensity_loops *intensity_cpu_loops(enum intensity_type type)
{
    return vector_loops[kernels_cpu_isa()][type];
}

int intensity_chains(void)
{
    return intensity_cpu_loops(INTENSITY_F32)->chains;
}

int intensity_lanes(enum intensity_type type)
{
    return intensity_cpu_loops(type)->lanes;
}

int64_t intensity_block(enum intensity_type type)
{
    return (int64_t)intensity_chains() * intensity_lanes(type);
}

struct job {
    const struct intensity_args *args;
    intensity_loop loop;
    int64_t first_unit, unit_count;
};

static void run_part(void *untyped, int thread, int thread_count)
{
    const struct job *job = untyped;
    const struct intensity_args *args = job->args;
    const int64_t block = intensity_block(args->type);
    const int64_t begin = team_part_begin(args->count, block, thread, thread_count);
    const int64_t end = team_part_begin(args->count, block, thread + 1, thread_count);
    const int64_t blocks = (end - begin) / block;
    if (blocks == 0)
        return;

    const char *values = (const char *)args->a + begin * element_bytes[args->type];
    const int64_t chunks = (blocks + args->chunk_blocks - 1) / args->chunk_blocks;
    struct intensity_part part = {
        .fmas = args->fmas,
        .chains = intensity_chains(),
        .lanes = intensity_lanes(args->type),
        .r = args->r,
        .out = (char *)args->out + thread * INTENSITY_OUT_BYTES,
    };
    int64_t chunk = job->first_unit % chunks;
    for (int64_t unit = 0; unit < job->unit_count; unit++) {
        const int64_t first_block = chunk * args->chunk_blocks;
        const int64_t left = blocks - first_block;
        part.values = values + first_block * block * element_bytes[args->type];
        part.vectors = (left < args->chunk_blocks ? left : args->chunk_blocks) * part.chains;
        job->loop(&part);
        chunk = chunk + 1 < chunks ? chunk + 1 : 0;
    }
}

static enum status launch_reference(struct device *device, const void *untyped, int64_t first_unit,
                                    int64_t unit_count)
{
    const struct intensity_args *args = untyped;
    struct job job = {args, reference_loops[args->type], first_unit, unit_count};
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

static enum status launch_vector(struct device *device, const void *untyped, int64_t first_unit,
                                 int64_t unit_count)
{
    const struct intensity_args *args = untyped;
    const int log2_m = __builtin_ctzll((unsigned long long)args->fmas);
    assert(log2_m < INTENSITY_FMAS_COUNT && args->fmas == (int64_t)1 << log2_m);
    struct job job = {args, intensity_cpu_loops(args->type)->loop[log2_m], first_unit, unit_count};
    team_run(device_team(device), run_part, &job);
    return STATUS_OK;
}

const struct kernel intensity_cpu_reference = {
    .name = "reference",
    .idea = "the definition, one lane at a time, accumulators in memory",
    .launch = launch_reference,
};

const struct kernel intensity_cpu_vector = {
    .name = "vector",
    .idea = "chains of vector multiply-adds that never leave their registers",
    .launch = launch_vector,
};
