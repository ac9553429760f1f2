/* The ladder that traces the roofline: m multiply-adds per value read, from memory-bound to
 * compute-bound.
 *
 * Varies   m, the element, the level that holds the array, the threads.
 * Times    a walk over the array, going on where the last sample stopped.
 * Counts   2 m operations and the element's bytes per value: intensity m/2 per byte in f32, m/4 in
 *          f64, m and 2 m by dot instructions in bf16 and int8; m = 1 is the least that uses all.
 * Checks   all accumulators of one chunk, another in each round, against a closed form in double.
 * Ceiling  the smaller of the level's bandwidth x intensity and the rate of the units.
 */
#include "harness/measure/bench.h"
#include "kernels/intensity/intensity.h"
#include "kernels/intensity/intensity_place.h"

#include <math.h>
#include <string.h>

enum { STREAM_VALUES = 3, MOST_OPS_PER_BYTE = 1024, FEWEST_PARTS = 64, PART_SPREAD = 16 };

/* Of each intensity_type: what is stored, what it is summed in, and half a step of that near 1. */
static const struct {
    enum element value, sum;
    double half_step;
} types[] = {
    [INTENSITY_F32] = {ELEMENT_F32, ELEMENT_F32, 0x1p-24},
    [INTENSITY_F64] = {ELEMENT_F64, ELEMENT_F64, 0x1p-52},
    [INTENSITY_BF16] = {ELEMENT_BF16, ELEMENT_F32, 0},
    [INTENSITY_INT8] = {ELEMENT_INT8, ELEMENT_INT32, 0},
    [INTENSITY_F16X2] = {ELEMENT_F16, ELEMENT_F16, 0x1p-11},
    [INTENSITY_BF16X2] = {ELEMENT_BF16, ELEMENT_BF16, 0x1p-8},
    [INTENSITY_INT32] = {ELEMENT_INT32, ELEMENT_INT32, 0},
};

struct intensity {
    int64_t fmas, dtype, level, threads; /* varied */
    double amplitude;
    struct intensity_args args;
    double *expected; /* accumulators of the part being checked */
};

static void values(const void *state, int64_t first, int64_t count, double *out)
{
    const struct intensity *s = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = s->amplitude * intensity_value(s->args.type, value_at(STREAM_VALUES, first + i));
}

static enum status admit(const void *state, const struct device_info *info)
{
    const struct intensity *s = state;
    bool is_rung = false;
    for (const int64_t *m = intensity_fmas; *m; m++)
        is_rung |= *m == s->fmas;
    if (!is_rung)
        return FAIL(STATUS_BAD_ARGUMENT, "fmas=%lld is no rung of the ladder: 1, 2, 4 ... 4096",
                    (long long)s->fmas);
    const double ops_per_byte = 2 * (double)s->fmas / (double)element_bytes(types[s->dtype].value);
    return intensity_has_level(info, (enum intensity_level)s->level) &&
                   ops_per_byte <= MOST_OPS_PER_BYTE
               ? STATUS_OK
               : STATUS_SKIP;
}

static enum status supports(const void *state, const struct kernel *kernel)
{
    const struct intensity_args args = {
        .type = (enum intensity_type)((const struct intensity *)state)->dtype};
    return kernel->supports ? kernel->supports(&args) : STATUS_OK;
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    const struct intensity *s = state;
    return intensity_buffer_bytes(info, (enum intensity_level)s->level, s->threads);
}

static int64_t sums(const struct intensity *s)
{
    return (int64_t)s->args.shape.chains * s->args.shape.lanes;
}

static enum status setup(struct bench_case *c)
{
    struct intensity *s = c->state;
    const enum element value = types[s->dtype].value, sum = types[s->dtype].sum;
    s->amplitude = c->amplitude;
    s->args.type = (enum intensity_type)s->dtype;
    s->args.fmas = s->fmas;
    s->args.r = intensity_ratio(s->args.type);
    intensity_place(device_info(c->device), (enum intensity_level)s->level, s->threads, &s->args);
    const int64_t out_bytes = s->args.parts * s->args.shape.out_bytes;
    TRY(case_input(c, value, s->args.count, values, &s->args.a));
    TRY(case_output(c, sum, out_bytes / (int64_t)element_bytes(sum), &s->args.out));
    return case_notes(c, (size_t)sums(s) * sizeof(*s->expected), &s->expected);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    const struct intensity *s = c->state;
    return c->kernel->launch(c->device, &s->args, first_unit, unit_count);
}

static void expected_accumulators(const void *state, int64_t first, int64_t count, double *out)
{
    memcpy(out, ((const struct intensity *)state)->expected + first, (size_t)count * sizeof(*out));
}

/* The k roundings of one value on one chain may all point the same way (the same number is added to
 * a sum that hardly moves), those of different values do not: k sqrt(values), and room for chance.
 * Where r = 1/2, each rounding is halved by the next step: all together are less than two. */
static double tolerance(const struct intensity *s)
{
    const double room = 4;
    const double k = fmax(1, (double)s->fmas / s->args.shape.chains);
    const double steps = (double)(s->fmas * s->args.chunk_blocks);
    return types[s->dtype].half_step * (s->args.r < 0.9 ? 2.5 : room * k * sqrt(steps / k));
}

static enum status check_part(struct bench_case *c, int64_t part, struct check *check)
{
    struct intensity *s = c->state;
    double scale;
    const int64_t count = s->args.count / s->args.parts;
    const char *out = (const char *)s->args.out + part * s->args.shape.out_bytes;
    intensity_expect(&s->args, part * count, count, c->checked_unit, values, s, s->expected,
                     &scale);
    return case_expect(c, types[s->dtype].sum, sums(s), out, expected_accumulators, fmax(1, scale),
                       tolerance(s), check);
}

/* Every part; of the thousand of a GPU, where not all are asked for, a spread and the last. */
static enum status check(struct bench_case *c, struct check *check)
{
    const struct intensity *s = c->state;
    const bool is_all = c->check_all || s->args.parts <= FEWEST_PARTS;
    for (int64_t part = 0; part < s->args.parts; part++)
        if (is_all || part % PART_SPREAD == 0 || part == s->args.parts - 1)
            TRY(check_part(c, part, check));
    return STATUS_OK;
}

static struct work work(const void *state)
{
    const struct intensity *s = state;
    const double count = (double)s->args.count;
    const double bytes = count * (double)element_bytes(types[s->dtype].value);
    return (struct work){
        .bytes = bytes, .bus_bytes = bytes, .operations = 2 * (double)s->fmas * count};
}

static int64_t units(const void *state)
{
    return intensity_units(&((const struct intensity *)state)->args);
}

const struct bench bench_intensity = {
    .name = "bench_intensity",
    .question = "How many operations per second, when each byte is used for ever more of them?",
    .counting = "bytes: each value read once per walk; operations: 2 per multiply-add, m "
                "multiply-adds per value",
    .family = FAMILY_INTENSITY,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct intensity, dtype, intensity_type_names, "f32,f64",
                       "the element; bf16 is summed in f32, int8 in int32; x2: two an instruction"),
            AXIS_NAMES(struct intensity, level, intensity_level_names, "L1,L2,L3,memory,shared",
                       "where the array lies"),
            AXIS(struct intensity, threads, AXIS_THREADS, "1,all", "threads, pinned"),
            AXIS(struct intensity, fmas, AXIS_COUNT, "1..4096*2", "multiply-adds per value read"),
        },
    .accumulators = intensity_sum_names,
    .caches = CACHES_WARM,
    .state_bytes = sizeof(struct intensity),
    .admit = admit,
    .supports = supports,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
    .units = units,
};
