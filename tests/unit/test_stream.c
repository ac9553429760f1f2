/* Every loop of the stream family against sums taken here. Values and s are multiples of small
 * powers of two, so that every order of additions, fused or not, gives the same bits in either
 * type: the comparison is exact. */
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "kernels/stream/stream.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD_BYTES = 256,
    GUARD = 0xA5,
    LARGEST_COUNT = 65537,
    ARRAY_BYTES = 2 * GUARD_BYTES + (LARGEST_COUNT + 1) * (int)sizeof(double),
};

#define SCALAR 1.25

static const int64_t counts[] = {1,  2,  3,  7,  8,   15,   16,   17,           31,
                                 33, 63, 64, 65, 127, 1000, 4097, LARGEST_COUNT};

/* A multiple of 2^-10 in [-1, 1) that looks random. */
static double value_at(int array, int64_t index)
{
    uint64_t x = ((uint64_t)index * 2 + (uint64_t)array + 1) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (double)(x >> 53) / 1024 - 1;
}

static double get(enum stream_type type, const void *array, int64_t i)
{
    return type == STREAM_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(enum stream_type type, void *array, int64_t i, double value)
{
    if (type == STREAM_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static size_t element_bytes(enum stream_type type)
{
    return type == STREAM_F32 ? sizeof(float) : sizeof(double);
}

/* Three arrays in guard bytes. `shift` elements past a line boundary, so that heads are run. */
struct arrays {
    unsigned char *memory[3];
    enum stream_type type;
    int64_t count;
    int shift;
};

static void *array_begin(const struct arrays *arrays, int array)
{
    const size_t shift = (size_t)(arrays->shift * (array + 1));
    return arrays->memory[array] + GUARD_BYTES / 2 + shift * element_bytes(arrays->type);
}

static void fill(const struct arrays *arrays)
{
    for (int array = 0; array < 3; array++) {
        memset(arrays->memory[array], GUARD, ARRAY_BYTES);
        for (int64_t i = 0; i < arrays->count && array < 2; i++)
            put(arrays->type, array_begin(arrays, array), i, value_at(array, i));
    }
}

static bool is_guard(const unsigned char *begin, const unsigned char *end)
{
    while (begin < end && *begin == GUARD)
        begin++;
    return begin == end;
}

/* The bytes before an array, and 1 KiB behind its `count` elements. */
static bool guards_hold(const struct arrays *arrays, int array, int64_t count)
{
    const unsigned char *begin = array_begin(arrays, array);
    const unsigned char *behind = begin + (size_t)count * element_bytes(arrays->type);
    const unsigned char *end = arrays->memory[array] + ARRAY_BYTES;
    if (behind + 1024 < end)
        end = behind + 1024;
    return is_guard(arrays->memory[array], begin) && is_guard(behind, end);
}

static double expect(enum stream_op op, int64_t i)
{
    const double a = value_at(0, i), b = value_at(1, i);
    const double of_op[STREAM_OP_COUNT] = {
        [STREAM_READ] = a,           [STREAM_WRITE] = SCALAR, [STREAM_COPY] = a,
        [STREAM_SCALE] = SCALAR * a, [STREAM_ADD] = a + b,    [STREAM_TRIAD] = a + SCALAR * b,
    };
    return of_op[op];
}

static double expect_sum(const struct stream_args *args, int thread, int thread_count)
{
    const int64_t granule = stream_granule(args->type);
    const int64_t end = team_part_begin(args->count, granule, thread + 1, thread_count);
    double sum = 0;
    for (int64_t i = team_part_begin(args->count, granule, thread, thread_count); i < end; i++)
        sum += expect(STREAM_READ, i);
    return sum;
}

/* Elements of c that are not what they must be. */
static int64_t count_wrong(const struct stream_args *args, int thread_count)
{
    const bool read = args->op == STREAM_READ;
    int64_t wrong = 0;
    for (int64_t i = 0; i < (read ? thread_count : args->count); i++) {
        const double expected = read ? expect_sum(args, (int)i, thread_count) : expect(args->op, i);
        wrong += get(args->type, args->c, i) != expected;
    }
    return wrong;
}

static void check_case(struct device *device, const struct kernel *kernel, struct arrays *arrays,
                       enum stream_op op, enum stream_store store)
{
    const struct stream_args args = {
        .op = op,
        .store = store,
        .type = arrays->type,
        .count = arrays->count,
        .scalar = SCALAR,
        .a = op == STREAM_WRITE ? NULL : array_begin(arrays, 0),
        .b = op == STREAM_ADD || op == STREAM_TRIAD ? array_begin(arrays, 1) : NULL,
        .c = array_begin(arrays, 2),
    };
    const int thread_count = team_size(device->team);
    const int64_t written = op == STREAM_READ ? thread_count : args.count;
    memset(arrays->memory[2], GUARD, ARRAY_BYTES);
    assert_int_equal(kernel->launch(device, &args, 0, 2), STATUS_OK);
    if (count_wrong(&args, thread_count) != 0)
        fail_msg("%s %s %s %s count %lld shift %d threads %d: wrong answer", kernels_cpu_isa_name(),
                 kernel->name, stream_op_names[op], stream_store_names[store],
                 (long long)args.count, arrays->shift, thread_count);
    assert_true(guards_hold(arrays, 0, arrays->count));
    assert_true(guards_hold(arrays, 1, arrays->count));
    assert_true(guards_hold(arrays, 2, written));
    put(args.type, args.c, written - 1, get(args.type, args.c, written - 1) + 0.25);
    assert_int_equal(count_wrong(&args, thread_count), 1); /* the check sees one wrong element */
}

static void check_all(struct device *device, const struct kernel *kernel, struct arrays *arrays,
                      int store_count)
{
    fill(arrays);
    for (int thread_count = 1; thread_count <= THREADS; thread_count++) {
        team_resize(device->team, thread_count);
        for (int op = 0; op < STREAM_OP_COUNT; op++)
            for (int store = 0; store < store_count; store++)
                check_case(device, kernel, arrays, (enum stream_op)op, (enum stream_store)store);
    }
}

static void check_kernel(struct device *device, const struct kernel *kernel, int store_count)
{
    struct arrays arrays = {0};
    for (int array = 0; array < 3; array++)
        arrays.memory[array] = aligned_alloc(64, (ARRAY_BYTES + 63) / 64 * 64);
    for (int type = 0; type < STREAM_TYPE_COUNT; type++)
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
            for (int shift = 0; shift < 2; shift++) {
                arrays.type = (enum stream_type)type;
                arrays.count = counts[i];
                arrays.shift = shift;
                check_all(device, kernel, &arrays, store_count);
            }
    for (int array = 0; array < 3; array++)
        free(arrays.memory[array]);
}

static void
vector_loops_of_every_set_are_right_at_every_count_and_leave_the_rest_alone(void **state)
{
    for (const struct isa *isa = isa_table; isa->name; isa++)
        if (isa->supported()) {
            assert_int_equal(kernels_cpu_choose(isa->name), STATUS_OK);
            assert_string_equal(kernels_cpu_isa_name(), isa->name);
            check_kernel(*state, &stream_cpu_vector, STREAM_STORE_COUNT);
        }
}

static void the_reference_is_right_at_every_count_with_plain_stores(void **state)
{
    check_kernel(*state, &stream_cpu_reference, 1);
}

static void the_reference_skips_nontemporal_stores_and_says_so(void **state)
{
    double c[1] = {0};
    const struct stream_args args = {.op = STREAM_WRITE,
                                     .store = STREAM_NONTEMPORAL,
                                     .type = STREAM_F64,
                                     .count = 1,
                                     .scalar = SCALAR,
                                     .c = c};
    assert_int_equal(stream_cpu_reference.launch(*state, &args, 0, 1), STATUS_SKIP);
    assert_non_null(strstr(error_message(), "nontemporal"));
    assert_true(c[0] == 0);
}

static void the_best_supported_set_is_chosen_and_others_are_refused_with_the_list(void **state)
{
    (void)state;
    int best = -1;
    for (int i = 0; isa_table[i].name; i++)
        if (isa_table[i].supported())
            best = i;
    assert_int_equal(kernels_cpu_choose(NULL), STATUS_OK);
    assert_int_equal(kernels_cpu_isa(), best);
    assert_int_equal(kernels_cpu_choose("z80"), STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error_message(), "z80"));
    assert_non_null(strstr(error_message(), isa_table[best].name));
    assert_int_equal(kernels_cpu_isa(), best); /* a refusal changes nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            vector_loops_of_every_set_are_right_at_every_count_and_leave_the_rest_alone),
        cmocka_unit_test(the_reference_is_right_at_every_count_with_plain_stores),
        cmocka_unit_test(the_reference_skips_nontemporal_stores_and_says_so),
        cmocka_unit_test(the_best_supported_set_is_chosen_and_others_are_refused_with_the_list),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
