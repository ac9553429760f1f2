/* The intensity family: the closed form against a loop that takes every step, the kernels against
 * the closed form, and their time against the work they claim to do. */
#include "harness/base/clock.h"
#include "kernels/intensity/intensity.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_BLOCK = INTENSITY_OUT_BYTES / (int)sizeof(float),
    BLOCKS = 5, /* of a thread's part; in chunks of two: two whole ones and a short one */
    CHUNK_BLOCKS = 2,
    CHUNKS = 3,
};

#define RATIO 0x1.ffffep-1 /* 1 - 2^-20 */

/* Which element is left out, or -1. */
struct values {
    int64_t skipped;
};

/* In (-1, 1), odd multiples of 2^-11 that look random. */
static void get_values(const void *state, int64_t first, int64_t count, double *out)
{
    const struct values *values = state;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = ((uint64_t)(first + i) + 1) * 0x9E3779B97F4A7C15u;
        x ^= x >> 29;
        x *= 0xBF58476D1CE4E5B9u;
        const double value = ((double)(x >> 53) + 0.5) / 1024 - 1;
        out[i] = first + i == values->skipped ? 0 : value;
    }
}

static struct intensity_args make_args(enum intensity_type type, int64_t fmas, int thread_count)
{
    return (struct intensity_args){
        .type = type,
        .fmas = fmas,
        .count = BLOCKS * intensity_block(type) * thread_count,
        .chunk_blocks = CHUNK_BLOCKS,
        .r = RATIO,
    };
}

/* intensity.h's sentence, one step after the other. */
static void take_every_step(const struct intensity_args *args, int64_t begin, int64_t unit,
                            const struct values *values, double *acc)
{
    const int lanes = intensity_lanes(args->type), chains = intensity_chains();
    const int64_t first_block = unit % CHUNKS * CHUNK_BLOCKS;
    const int64_t end_block =
        first_block + CHUNK_BLOCKS < BLOCKS ? first_block + CHUNK_BLOCKS : BLOCKS;
    memset(acc, 0, MAX_BLOCK * sizeof(*acc));
    for (int64_t w = 0; w < (end_block - first_block) * chains; w++) {
        double v[MAX_BLOCK];
        get_values(values, begin + (first_block * chains + w) * lanes, lanes, v);
        for (int64_t k = 0; k < args->fmas; k++) {
            double *of_chain = acc + (w * args->fmas + k) % chains * lanes;
            for (int lane = 0; lane < lanes; lane++)
                of_chain[lane] = of_chain[lane] * args->r + v[lane];
        }
    }
}

static void for_every_set(void *state, void (*check)(struct device *device))
{
    for (const struct isa *isa = isa_table; isa->name; isa++)
        if (isa->supported()) {
            assert_int_equal(kernels_cpu_choose(isa->name), STATUS_OK);
            check(state);
        }
}

static void compare_closed_form(struct device *device)
{
    (void)device;
    const struct values values = {.skipped = -1};
    for (int type = 0; type < INTENSITY_FMA_TYPE_COUNT; type++)
        for (const int64_t *m = intensity_fmas; *m; m++)
            for (int64_t unit = 0; unit < CHUNKS + 1; unit++) {
                const struct intensity_args args = make_args((enum intensity_type)type, *m, 1);
                const int64_t block = intensity_block(args.type), begin = 3 * block;
                double expected[MAX_BLOCK], scale, acc[MAX_BLOCK];
                intensity_expect(&args, begin, BLOCKS * block, unit, get_values, &values, expected,
                                 &scale);
                take_every_step(&args, begin, unit, &values, acc);
                for (int64_t i = 0; i < block; i++)
                    assert_true(fabs(acc[i] - expected[i]) <= 1e-11 * scale);
            }
}

static void the_closed_form_is_what_every_step_gives(void **state)
{
    for_every_set(*state, compare_closed_form);
}

/* How far a kernel's sums may lie from the exact ones: two roundings per step (one where it is
 * fused), each at most half an epsilon of the largest sum met. */
static double tolerance(const struct intensity_args *args, double scale)
{
    const double epsilon = args->type == INTENSITY_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const int64_t steps = CHUNK_BLOCKS * args->fmas;
    return epsilon * (double)(steps + 1) * scale;
}

static double read_out(const struct intensity_args *args, int thread, int64_t i)
{
    const char *out = (const char *)args->out + thread * INTENSITY_OUT_BYTES;
    return args->type == INTENSITY_F32 ? (double)((const float *)out)[i] : ((const double *)out)[i];
}

/* Are all sums of a thread within the tolerance after `unit`, if `skipped` was left out? */
static bool agrees(const struct intensity_args *args, int thread, int64_t unit, int64_t skipped)
{
    const int64_t block = intensity_block(args->type), part = BLOCKS * block;
    const struct values values = {.skipped = skipped};
    double expected[MAX_BLOCK], scale;
    intensity_expect(args, thread * part, part, unit, get_values, &values, expected, &scale);
    bool agree = true;
    for (int64_t i = 0; i < block; i++)
        agree = agree && fabs(read_out(args, thread, i) - expected[i]) <= tolerance(args, scale);
    return agree;
}

/* The first value from `index` on that weighs enough to be missed: of 4096 rounded additions of
 * 0.001 nobody can tell. */
static int64_t find_large(int64_t index)
{
    const struct values all = {.skipped = -1};
    for (double value = 0;; index++) {
        get_values(&all, index, 1, &value);
        if (fabs(value) >= 0.25)
            return index;
    }
}

static void check_case(struct device *device, const struct kernel *kernel,
                       const struct intensity_args *args)
{
    /* One unit; then some that pass the last chunk and begin again at the first. */
    static const int64_t launches[][2] = {
        {0, 1}, {1, 1}, {CHUNKS - 1, 2}, {CHUNKS + 1, CHUNKS + 1}};
    const int64_t block = intensity_block(args->type);
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
        const int64_t last = launches[i][0] + launches[i][1] - 1;
        memset(args->out, 0xFF, THREADS * INTENSITY_OUT_BYTES);
        assert_int_equal(kernel->launch(device, args, launches[i][0], launches[i][1]), STATUS_OK);
        for (int thread = 0; thread < team_size(device->team); thread++) {
            const int64_t first_of_unit = (thread * BLOCKS + last % CHUNKS * CHUNK_BLOCKS) * block;
            if (!agrees(args, thread, last, -1))
                fail_msg("%s %s type %d m %lld unit %lld thread %d: wrong answer",
                         kernels_cpu_isa_name(), kernel->name, args->type, (long long)args->fmas,
                         (long long)last, thread);
            assert_false(agrees(args, thread, last, find_large(first_of_unit)));
            assert_false(agrees(args, thread, last, find_large(first_of_unit + block / 2)));
        }
    }
}

static void *make_values(enum intensity_type type, int64_t count)
{
    const struct values all = {.skipped = -1};
    void *array = aligned_alloc(64, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        double value;
        get_values(&all, i, 1, &value);
        if (type == INTENSITY_F32)
            ((float *)array)[i] = (float)value;
        else
            ((double *)array)[i] = value;
    }
    return array;
}

static void check_kernel(struct device *device, const struct kernel *kernel)
{
    void *out = aligned_alloc(64, THREADS * INTENSITY_OUT_BYTES);
    for (int type = 0; type < INTENSITY_FMA_TYPE_COUNT; type++)
        for (int thread_count = 1; thread_count <= THREADS; thread_count++)
            for (const int64_t *m = intensity_fmas; *m; m++) {
                struct intensity_args args = make_args((enum intensity_type)type, *m, thread_count);
                void *array = make_values(args.type, args.count);
                args.a = array;
                args.out = out;
                team_resize(device->team, thread_count);
                check_case(device, kernel, &args);
                free(array);
            }
    free(out);
}

static void check_vector(struct device *device)
{
    check_kernel(device, &intensity_cpu_vector);
}

static void check_reference(struct device *device)
{
    check_kernel(device, &intensity_cpu_reference);
}

static void vector_sums_of_every_set_are_right_and_a_skipped_value_is_noticed(void **state)
{
    for_every_set(*state, check_vector);
}

static void reference_sums_for_every_set_are_right_and_a_skipped_value_is_noticed(void **state)
{
    for_every_set(*state, check_reference);
}

static double time_launch(struct device *device, const struct intensity_args *args, int64_t units)
{
    team_take_span_seconds(device->team);
    assert_int_equal(intensity_cpu_vector.launch(device, args, 0, units), STATUS_OK);
    return team_take_span_seconds(device->team);
}

static bool is_about_twice(double twice, double once)
{
    return twice > 1.6 * once && twice < 2.4 * once;
}

/* Others can only slow us down: the least of many alternating runs. */
static bool do_times_double(struct device *device, const struct intensity_args *args)
{
    enum { REPETITIONS = 30, UNITS = 4 };
    struct intensity_args twice_the_fmas = *args;
    twice_the_fmas.fmas *= 2;
    double once = INFINITY, fmas = INFINITY, units = INFINITY;
    for (int i = 0; i < REPETITIONS; i++) {
        once = fmin(once, time_launch(device, args, UNITS));
        fmas = fmin(fmas, time_launch(device, &twice_the_fmas, UNITS));
        units = fmin(units, time_launch(device, args, 2 * UNITS));
    }
    return is_about_twice(fmas, once) && is_about_twice(units, once);
}

/* A core that is slowed down, or changes its clock, for longer than all the runs spoils them; one
 * that skips work is right at no time. */
static void compare_times(struct device *device, const struct intensity_args *args)
{
    enum { TRIES = 20 };
    for (int i = 0; i < TRIES; i++)
        if (do_times_double(device, args))
            return;
    fail_msg("of %d tries at %d multiply-adds, none took twice the time for twice the work", TRIES,
             (int)args->fmas);
}

static void check_time(struct device *device)
{
    enum { LEAST_FMAS = 256, MOST_FMAS = 2048, ARRAY_BLOCKS = 8 };
    team_resize(device->team, 1);
    for (int type = 0; type < INTENSITY_FMA_TYPE_COUNT; type++) {
        struct intensity_args args = make_args((enum intensity_type)type, LEAST_FMAS, 1);
        args.chunk_blocks = ARRAY_BLOCKS;
        args.count = ARRAY_BLOCKS * intensity_block(args.type);
        void *array = make_values(args.type, args.count);
        args.a = array;
        args.out = aligned_alloc(64, INTENSITY_OUT_BYTES);
        for (; args.fmas <= MOST_FMAS; args.fmas *= 2)
            compare_times(device, &args);
        free(array);
        free(args.out);
    }
}

static void time_doubles_with_the_multiply_adds_and_with_the_units(void **state)
{
    for_every_set(*state, check_time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_is_what_every_step_gives),
        cmocka_unit_test(vector_sums_of_every_set_are_right_and_a_skipped_value_is_noticed),
        cmocka_unit_test(reference_sums_for_every_set_are_right_and_a_skipped_value_is_noticed),
        cmocka_unit_test(time_doubles_with_the_multiply_adds_and_with_the_units),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
