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
#include "harness/measure/team.h"
#include "kernels/intensity/intensity.h"

#include <math.h>

enum { STREAM_VALUES = 3, CHUNK_BYTES = 256 << 10, FEWEST_MEMORY_BYTES = 64 << 20 };
enum { CACHES_PER_MEMORY = 4, MOST_OPS_PER_BYTE = 1024, LEVEL_MEMORY = 3 };
static const double R = 1 - 1.0 / (1 << 20);
static const char *const level_names[] = {"L1", "L2", "L3", "memory", NULL};
/* Of each dtype, which is an intensity_type and the element of that number. */
static const enum element sum_elements[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F32, ELEMENT_INT32};

struct intensity {
    int64_t fmas, dtype, level, threads; /* varied */
    double amplitude;
    struct intensity_args args;
    int64_t checked_unit;
    int checked_thread;
};

static void values(const void *state, int64_t first, int64_t count, double *out)
{
    const struct intensity *s = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = s->amplitude * intensity_value(s->args.type, value_at(STREAM_VALUES, first + i));
}

/* Bytes of the array per thread: three quarters of L1 (a short walk pays more for its ends) and
 * half of another private cache; of a shared one a quarter (neighbours use it, too), but twice the
 * level below; four times the last cache for memory. */
static double part_bytes(const struct intensity *s, const struct levels *levels)
{
    double threads = (double)s->threads;
    if (s->level == LEVEL_MEMORY)
        return fmax(FEWEST_MEMORY_BYTES, CACHES_PER_MEMORY * (double)levels_last_bytes(levels)) /
               threads;
    const struct level *level = &levels->level[s->level];
    double below = s->level ? 2 * (double)levels->level[s->level - 1].capacity_bytes : 0;
    double capacity = (double)level->capacity_bytes;
    double share = level->shared ? capacity / 4 / threads : capacity * (s->level ? 0.5 : 0.75);
    return fmax(share, below);
}

/* Whole chunks per thread, so that every unit is the same work. */
static void shape(struct intensity *s, const struct levels *levels)
{
    const int64_t block = intensity_block((enum intensity_type)s->dtype);
    const int64_t block_bytes = block * (int64_t)element_bytes((enum element)s->dtype);
    const int64_t part_blocks = (int64_t)fmax(1, part_bytes(s, levels) / (double)block_bytes);
    const int64_t most_blocks = CHUNK_BYTES / block_bytes;
    s->args.chunk_blocks = part_blocks < most_blocks ? part_blocks : most_blocks;
    s->args.count = part_blocks / s->args.chunk_blocks * s->args.chunk_blocks * block * s->threads;
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
    bool is_cache_here = s->level == LEVEL_MEMORY || s->level < info->levels.count;
    bool is_beyond =
        2 * s->fmas > MOST_OPS_PER_BYTE * (int64_t)element_bytes((enum element)s->dtype);
    return is_cache_here && !is_beyond ? STATUS_OK : STATUS_SKIP;
}

static enum status supports(const void *state, const struct kernel *kernel)
{
    (void)kernel; /* every rung has the same types */
    return intensity_supports((enum intensity_type)((const struct intensity *)state)->dtype);
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    const struct intensity *s = state;
    return (part_bytes(s, &info->levels) + INTENSITY_OUT_BYTES) * (double)s->threads;
}

static enum status setup(struct bench_case *c)
{
    struct intensity *s = c->state;
    const enum element sum = sum_elements[s->dtype];
    const int64_t out_count = s->threads * INTENSITY_OUT_BYTES / (int64_t)element_bytes(sum);
    s->amplitude = c->amplitude;
    s->args.type = (enum intensity_type)s->dtype;
    s->args.fmas = s->fmas;
    s->args.r = R;
    shape(s, &device_info(c->device)->levels);
    TRY(case_input(c, (enum element)s->dtype, s->args.count, values, &s->args.a));
    return case_output(c, sum, out_count, &s->args.out);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    const struct intensity *s = c->state;
    return c->kernel->launch(c->device, &s->args, first_unit, unit_count);
}

static double expect_thread(const struct intensity *s, double *expected)
{
    double scale;
    const int64_t part = s->args.count / s->threads;
    intensity_expect(&s->args, s->checked_thread * part, part, s->checked_unit, values, s, expected,
                     &scale);
    return scale;
}

static void expected_accumulators(const void *state, int64_t first, int64_t count, double *out)
{
    double all[INTENSITY_MAX_CHAINS * INTENSITY_MAX_VECTOR_BYTES / sizeof(float)];
    expect_thread(state, all);
    for (int64_t i = 0; i < count; i++)
        out[i] = all[first + i];
}

/* The k roundings of one value on one chain may all point the same way (the same number is added to
 * a sum that hardly moves), those of different values do not: k sqrt(values), and room for chance.
 */
static double tolerance(const struct intensity *s)
{
    static const double half_steps[] = {0x1p-24, 0x1p-52, 0, 0};
    const double room = 4;
    const double k = fmax(1, (double)s->fmas / intensity_chains());
    const double steps = (double)(s->fmas * s->args.chunk_blocks);
    return half_steps[s->dtype] * room * k * sqrt(steps / k);
}

static enum status check(struct bench_case *c, struct check *check)
{
    struct intensity *s = c->state;
    double all[INTENSITY_MAX_CHAINS * INTENSITY_MAX_VECTOR_BYTES / sizeof(float)];
    const int64_t count = intensity_sums(s->args.type);
    s->checked_unit = c->checked_unit;
    for (s->checked_thread = 0; s->checked_thread < s->threads; s->checked_thread++) {
        const char *out = (const char *)s->args.out + s->checked_thread * INTENSITY_OUT_BYTES;
        const double scale = fmax(1, expect_thread(s, all));
        TRY(case_expect(c, sum_elements[s->dtype], count, out, expected_accumulators, scale,
                        tolerance(s), check));
    }
    return STATUS_OK;
}

static struct work work(const void *state)
{
    const struct intensity *s = state;
    const double count = (double)s->args.count;
    const double bytes = count * (double)element_bytes((enum element)s->dtype);
    return (struct work){
        .bytes = bytes, .bus_bytes = bytes, .operations = 2 * (double)s->fmas * count};
}

static int64_t units(const void *state)
{
    const struct intensity *s = state;
    const int64_t block = intensity_block((enum intensity_type)s->dtype);
    return s->args.count / s->threads / block / s->args.chunk_blocks;
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
                       "the element; bf16 is summed in f32, int8 in int32"),
            AXIS_NAMES(struct intensity, level, level_names, "L1,L2,L3,memory",
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
