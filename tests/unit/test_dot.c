/* The dot instructions of the intensity family: every kernel against sums that are taken product by
 * product, in whole numbers; what is said where they are missing; their time against their work. */
#include "harness/base/clock.h"
#include "kernels/intensity/intensity.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/sentence.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 5, /* of a thread's part; in chunks of two: two whole ones and a short one */
    CHUNK_BLOCKS = 2,
    CHUNKS = 3,
    MAX_SUMS = INTENSITY_OUT_BYTES / (int)sizeof(int32_t),
    MAX_VECTOR = INTENSITY_MAX_VECTOR_BYTES,
};

/* ---- Values: whole numbers that look random. */

/* Which element is wrong by one, or -1: the least error that there can be. */
struct values {
    enum intensity_type type;
    int64_t wrong;
};

static void get_values(const void *state, int64_t first, int64_t count, double *out)
{
    const struct values *values = state;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x = ((uint64_t)(first + i) + 1) * 0x9E3779B97F4A7C15u;
        x ^= x >> 29;
        x *= 0xBF58476D1CE4E5B9u;
        out[i] = intensity_value(values->type, (double)(x >> 53) / 1024 - 1);
        out[i] += first + i == values->wrong;
    }
}

static size_t value_bytes(enum intensity_type type)
{
    return type == INTENSITY_BF16 ? sizeof(uint16_t) : sizeof(int8_t);
}

static void *make_values(enum intensity_type type, int64_t count)
{
    const struct values all = {.type = type, .wrong = -1};
    void *array = aligned_alloc(MAX_VECTOR, (size_t)count * value_bytes(type));
    for (int64_t i = 0; i < count; i++) {
        double value;
        get_values(&all, i, 1, &value);
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof(bits));
        if (type == INTENSITY_BF16)
            ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
        else
            ((int8_t *)array)[i] = (int8_t)value;
    }
    return array;
}

static void values_use_their_whole_range_and_fit_their_type(void **state)
{
    (void)state;
    static const double largest[INTENSITY_TYPE_COUNT] = {
        [INTENSITY_BF16] = 16, [INTENSITY_INT8] = 128};
    for (int type = INTENSITY_FMA_TYPE_COUNT; type < INTENSITY_TYPE_COUNT; type++) {
        const enum intensity_type t = (enum intensity_type)type;
        assert_true(intensity_value(t, -1) == -largest[type]);
        assert_true(intensity_value(t, 1023.0 / 1024) == largest[type] - 1);
        assert_true(intensity_value(t, 0) == 0);
    }
    assert_true(intensity_value(INTENSITY_F32, 0.3) == 0.3);
}

/* ---- Sums. */

static struct intensity_args make_args(enum intensity_type type, int64_t fmas, int thread_count)
{
    return (struct intensity_args){
        .type = type,
        .fmas = fmas,
        .count = BLOCKS * intensity_block(type) * thread_count,
        .chunk_blocks = CHUNK_BLOCKS,
    };
}

/* intensity.h's sentence, one product after the other. */
static void take_every_product(const struct intensity_args *args, int64_t begin, int64_t unit,
                               const struct values *values, int64_t *sums)
{
    const int lanes = intensity_lanes(args->type), chains = intensity_chains();
    const int products = intensity_products(args->type), vector = lanes * products;
    const int64_t first_block = unit % CHUNKS * CHUNK_BLOCKS;
    const int64_t end_block =
        first_block + CHUNK_BLOCKS < BLOCKS ? first_block + CHUNK_BLOCKS : BLOCKS;
    memset(sums, 0, MAX_SUMS * sizeof(*sums));
    for (int64_t w = 0; w < (end_block - first_block) * chains; w++) {
        double v[MAX_VECTOR];
        get_values(values, begin + (first_block * chains + w) * vector, vector, v);
        for (int64_t k = 0; k < args->fmas; k++) {
            int64_t *of_chain = sums + (w * args->fmas + k) % chains * lanes;
            for (int i = 0; i < vector; i++)
                of_chain[i / products] +=
                    (int64_t)(v[i] * intensity_weight(args->type, i % products));
        }
    }
}

/* Every dot instruction of every set that this processor has; the number of them. */
static int for_every_dot(struct device *device, void (*check)(struct device *, enum intensity_type))
{
    int count = 0;
    for (const struct isa *isa = isa_table; isa->name; isa++) {
        if (!isa->supported())
            continue;
        assert_int_equal(kernels_cpu_choose(isa->name), STATUS_OK);
        for (int type = INTENSITY_FMA_TYPE_COUNT; type < INTENSITY_TYPE_COUNT; type++)
            if (intensity_supports((enum intensity_type)type) == STATUS_OK) {
                check(device, (enum intensity_type)type);
                count++;
            }
    }
    return count;
}

static void compare_closed_form(struct device *device, enum intensity_type type)
{
    (void)device;
    const struct values values = {.type = type, .wrong = -1};
    for (const int64_t *m = intensity_fmas; *m; m++)
        for (int64_t unit = 0; unit < CHUNKS + 1; unit++) {
            const struct intensity_args args = make_args(type, *m, 1);
            const int64_t block = intensity_block(type), begin = 3 * block;
            double expected[MAX_SUMS], scale;
            int64_t sums[MAX_SUMS];
            intensity_expect(&args, begin, BLOCKS * block, unit, get_values, &values, expected,
                             &scale);
            take_every_product(&args, begin, unit, &values, sums);
            for (int64_t i = 0; i < intensity_sums(type); i++)
                assert_true(expected[i] == (double)sums[i]);
        }
}

static void the_closed_form_is_exactly_what_every_product_gives(void **state)
{
    if (for_every_dot(*state, compare_closed_form) == 0)
        skip();
}

/* Are the sums of a thread after `unit` exactly those, if the element `wrong` were one more? */
static bool agrees(const struct intensity_args *args, int thread, int64_t unit, int64_t wrong)
{
    const int64_t part = BLOCKS * intensity_block(args->type);
    const struct values values = {.type = args->type, .wrong = wrong};
    const char *out = (const char *)args->out + thread * INTENSITY_OUT_BYTES;
    int64_t sums[MAX_SUMS];
    bool agree = true;
    take_every_product(args, thread * part, unit, &values, sums);
    for (int64_t i = 0; i < intensity_sums(args->type); i++) {
        const double got = args->type == INTENSITY_BF16 ? (double)((const float *)out)[i]
                                                        : ((const int32_t *)out)[i];
        agree = agree && got == (double)sums[i];
    }
    return agree;
}

static void check_case(struct device *device, const struct kernel *kernel,
                       const struct intensity_args *args)
{
    /* One unit; then some that pass the last chunk and begin again at the first. */
    static const int64_t launches[][2] = {{0, 1}, {CHUNKS - 1, 2}, {CHUNKS + 1, CHUNKS + 1}};
    const int64_t block = intensity_block(args->type);
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
        const int64_t last = launches[i][0] + launches[i][1] - 1;
        memset(args->out, 0xFF, THREADS * INTENSITY_OUT_BYTES);
        assert_int_equal(kernel->launch(device, args, launches[i][0], launches[i][1]), STATUS_OK);
        for (int thread = 0; thread < team_size(device->team); thread++) {
            const int64_t first = (thread * BLOCKS + last % CHUNKS * CHUNK_BLOCKS) * block;
            if (!agrees(args, thread, last, -1))
                fail_msg("%s %s type %d m %lld unit %lld thread %d: wrong answer",
                         kernels_cpu_isa_name(), kernel->name, args->type, (long long)args->fmas,
                         (long long)last, thread);
            assert_false(agrees(args, thread, last, first));
            assert_false(agrees(args, thread, last, first + block - 1));
            assert_false(agrees(args, thread, last + 1, -1));
        }
    }
}

static void check_kernels(struct device *device, enum intensity_type type)
{
    const struct kernel *const kernels[] = {&intensity_cpu_reference, &intensity_cpu_vector};
    void *out = aligned_alloc(MAX_VECTOR, THREADS * INTENSITY_OUT_BYTES);
    for (int thread_count = 1; thread_count <= THREADS; thread_count++) {
        struct intensity_args args = make_args(type, 1, thread_count);
        void *array = make_values(type, args.count);
        args.a = array;
        args.out = out;
        team_resize(device->team, thread_count);
        for (const int64_t *m = intensity_fmas; *m; m++) {
            args.fmas = *m;
            check_case(device, kernels[0], &args);
            check_case(device, kernels[1], &args);
        }
        free(array);
    }
    free(out);
}

static void sums_of_both_rungs_are_exact_and_an_error_of_one_is_noticed(void **state)
{
    if (for_every_dot(*state, check_kernels) == 0)
        skip();
}

/* ---- What is missing. */

static void the_least_set_has_no_dot_instruction_and_says_so(void **state)
{
    (void)state;
    assert_int_equal(kernels_cpu_choose(isa_table[0].name), STATUS_OK);
    assert_int_equal(intensity_supports(INTENSITY_F32), STATUS_OK);
    assert_int_equal(intensity_supports(INTENSITY_F64), STATUS_OK);
    sentence_check(intensity_supports(INTENSITY_BF16), STATUS_SKIP, "bf16");
    sentence_check(intensity_supports(INTENSITY_INT8), STATUS_SKIP, "int8");
}

static int yes(void)
{
    return 1;
}

static int no(void)
{
    return 0;
}

static void features_are_listed_with_commas_and_cut_where_the_room_ends(void **state)
{
    (void)state;
    static const struct isa_feature table[] = {
        {"AMX", yes}, {"SVE", no}, {"SME", yes}, {NULL, NULL}};
    char list[16], cut[7];
    assert_string_equal(isa_list_features(table, list, sizeof(list)), "AMX, SME");
    assert_string_equal(isa_list_features(table, cut, sizeof(cut)), "AMX, S");
    assert_string_equal(isa_list_features(table + 1, list, 1), "");
    assert_string_equal(isa_list_features(table + 3, list, sizeof(list)), "");
}

/* ---- Time. */

static double time_launch(struct device *device, const struct intensity_args *args, int64_t units)
{
    team_take_span_seconds(device->team);
    assert_int_equal(intensity_cpu_vector.launch(device, args, 0, units), STATUS_OK);
    return team_take_span_seconds(device->team);
}

/* Others can only slow us down: the least of many alternating runs. */
static void compare_times(struct device *device, enum intensity_type type)
{
    enum { REPETITIONS = 30, UNITS = 4, FMAS = 512, ARRAY_BLOCKS = 8 };
    struct intensity_args args = make_args(type, FMAS, 1);
    args.chunk_blocks = ARRAY_BLOCKS;
    args.count = ARRAY_BLOCKS * intensity_block(type);
    void *array = make_values(type, args.count);
    args.a = array;
    args.out = aligned_alloc(MAX_VECTOR, INTENSITY_OUT_BYTES);
    struct intensity_args twice_the_fmas = args;
    twice_the_fmas.fmas *= 2;
    team_resize(device->team, 1);
    double once = INFINITY, fmas = INFINITY, units = INFINITY;
    for (int i = 0; i < REPETITIONS; i++) {
        once = fmin(once, time_launch(device, &args, UNITS));
        fmas = fmin(fmas, time_launch(device, &twice_the_fmas, UNITS));
        units = fmin(units, time_launch(device, &args, 2 * UNITS));
    }
    free(array);
    free(args.out);
    assert_true(fmas > 1.6 * once && fmas < 2.4 * once);
    assert_true(units > 1.6 * once && units < 2.4 * once);
}

static void time_doubles_with_the_multiply_adds_and_with_the_units(void **state)
{
    if (for_every_dot(*state, compare_times) == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_use_their_whole_range_and_fit_their_type),
        cmocka_unit_test(the_closed_form_is_exactly_what_every_product_gives),
        cmocka_unit_test(sums_of_both_rungs_are_exact_and_an_error_of_one_is_noticed),
        cmocka_unit_test(the_least_set_has_no_dot_instruction_and_says_so),
        cmocka_unit_test(features_are_listed_with_commas_and_cut_where_the_room_ends),
        cmocka_unit_test(time_doubles_with_the_multiply_adds_and_with_the_units),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
