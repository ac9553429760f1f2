/* What both CPU rungs of the intensity family share: who does which chunk, and by which loop. */
#include "kernels/intensity/intensity_cpu.h"

#include "harness/measure/device.h"
#include "harness/measure/team.h"
#include "isa_list.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

void intensity_loop_reference_f32(const struct intensity_part *part);
void intensity_loop_reference_f64(const struct intensity_part *part);
void intensity_loop_reference_bf16(const struct intensity_part *part);
void intensity_loop_reference_int8(const struct intensity_part *part);

static const intensity_loop reference_loops[INTENSITY_TYPE_COUNT] = {
    [INTENSITY_F32] = intensity_loop_reference_f32,
    [INTENSITY_F64] = intensity_loop_reference_f64,
    [INTENSITY_BF16] = intensity_loop_reference_bf16,
    [INTENSITY_INT8] = intensity_loop_reference_int8,
};

#define DECLARE(set, name, vector_bytes)                                                           \
    extern const struct intensity_loops intensity_loops_##set##_f32, intensity_loops_##set##_f64;
ISA_LIST(DECLARE)

#define ROW(set, name, vector_bytes)                                                               \
    {[INTENSITY_F32] = &intensity_loops_##set##_f32,                                               \
     [INTENSITY_F64] = &intensity_loops_##set##_f64},
static const struct intensity_loops *const vector_loops[][INTENSITY_FMA_TYPE_COUNT] = {
    ISA_LIST(ROW)};

#define DECLARE_DOT(set, set_name, type, TYPE, dot, name)                                          \
    extern const struct intensity_loops intensity_loops_##set##_##type;
ISA_DOT_LIST(DECLARE_DOT)

/* Beside isa_dots, row by row. */
#define DOT_ROW(set, set_name, type, TYPE, dot, name)                                              \
    {set_name, INTENSITY_##TYPE, &intensity_loops_##set##_##type},
static const struct dot_loops {
    const char *isa_name;
    enum intensity_type type;
    const struct intensity_loops *loops;
} dot_loops[] = {ISA_DOT_LIST(DOT_ROW){NULL, INTENSITY_TYPE_COUNT, NULL}};

static const int64_t element_bytes[INTENSITY_TYPE_COUNT] = {
    [INTENSITY_F32] = sizeof(float),
    [INTENSITY_F64] = sizeof(double),
    [INTENSITY_BF16] = sizeof(uint16_t),
    [INTENSITY_INT8] = sizeof(int8_t),
};

const struct intensity_loops *intensity_cpu_loops(enum intensity_type type)
{
    if (type < INTENSITY_FMA_TYPE_COUNT)
        return vector_loops[kernels_cpu_isa()][type];
    for (int i = 0; dot_loops[i].loops; i++)
        if (dot_loops[i].type == type && kernels_cpu_has_dot(i) &&
            strcmp(dot_loops[i].isa_name, kernels_cpu_isa_name()) == 0)
            return dot_loops[i].loops;
    return NULL;
}

enum status intensity_supports(enum intensity_type type)
{
    const char *name = intensity_type_names[type], *set = kernels_cpu_isa_name();
    int last = -1;
    if (intensity_cpu_loops(type))
        return STATUS_OK;
    for (int i = 0; dot_loops[i].loops; i++)
        if (dot_loops[i].type == type)
            last = i;
    if (last < 0)
        return FAIL(STATUS_SKIP, "no kernel of %s multiplies %s yet", set, name);
    if (kernels_cpu_has_dot(last))
        return FAIL(STATUS_SKIP, "%s has no dot instruction for %s: %s belongs to %s", set, name,
                    isa_dots[last].name, dot_loops[last].isa_name);
    return FAIL(STATUS_SKIP, "this processor lacks %s, the dot instruction for %s",
                isa_dots[last].name, name);
}

int intensity_chains(void)
{
    return intensity_cpu_loops(INTENSITY_F32)->chains;
}

int intensity_lanes(enum intensity_type type)
{
    return intensity_cpu_loops(type)->lanes;
}

int64_t intensity_sums(enum intensity_type type)
{
    return (int64_t)intensity_chains() * intensity_lanes(type);
}

int64_t intensity_block(enum intensity_type type)
{
    return intensity_sums(type) * intensity_products(type);
}

static union intensity_factor make_factor(const struct intensity_args *args)
{
    union intensity_factor factor;
    const int places = INTENSITY_MAX_VECTOR_BYTES / (int)element_bytes[args->type];
    const int products = intensity_products(args->type);
    for (int i = 0; i < places; i++) {
        const double weight = intensity_weight(args->type, i % products);
        const float narrow = (float)weight;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof(bits));
        switch (args->type) {
        case INTENSITY_F32: factor.f32[i] = (float)args->r; break;
        case INTENSITY_F64: factor.f64[i] = args->r; break;
        case INTENSITY_BF16: factor.bf16[i] = (uint16_t)(bits >> 16); break;
        default: factor.int8[i] = (uint8_t)weight; break;
        }
    }
    return factor;
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
        .factor = make_factor(args),
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

static enum status supports(const void *args)
{
    return intensity_supports(((const struct intensity_args *)args)->type);
}

const struct kernel intensity_cpu_reference = {
    .name = "reference",
    .idea = "the definition, one lane at a time, accumulators in memory",
    .launch = launch_reference,
    .supports = supports,
};

const struct kernel intensity_cpu_vector = {
    .name = "vector",
    .idea = "chains of vector multiply-adds that never leave their registers",
    .launch = launch_vector,
    .supports = supports,
};
