/* A rung of the gemm ladder against sums taken here, unit by unit, between guards. Values are small
 * whole numbers, so that every order of additions, fused or not, gives the same bits in every
 * type: the comparison is exact. */
#pragma once

#include "kernels/gemm/gemm.h"
#include "kernels/kernels.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 0xA5, GUARD_BYTES = 128 };

struct shape {
    int64_t m, n, k, batch;
};

/* Odd ones, thin ones, those with one row or column; tiles' edges (32 rows, 256 columns, 8 to 64
 * deep) and one beyond; enough rows for several slabs, and slabs that cross matrices. */
static const struct shape shapes[] = {
    {1, 1, 1, 1},     {1, 7, 5, 3},      {7, 1, 5, 3},     {5, 7, 1, 2},      {17, 33, 9, 1},
    {32, 256, 64, 1}, {33, 257, 65, 1},  {70, 300, 70, 2}, {3, 100, 40, 5},   {100, 3, 200, 1},
    {13, 31, 300, 9}, {200, 260, 90, 1}, {130, 65, 40, 7}, {90, 290, 170, 3},
};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(shapes[0]) };

struct operands {
    struct gemm_args args;
    unsigned char *a, *b, *c; /* c between guards */
    size_t c_bytes;
    double *expected;
};

/* A whole number in -4 .. 3 that looks random. */
static inline int value_at(int matrix, int64_t index)
{
    uint64_t x = ((uint64_t)index * 2 + (uint64_t)matrix + 1) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (int)(x >> 61) - 4;
}

static inline void put(enum gemm_type type, unsigned char *array, int64_t i, int value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    switch (type) {
    case GEMM_F32: ((float *)array)[i] = narrow; break;
    case GEMM_F64: ((double *)array)[i] = value; break;
    case GEMM_BF16: ((uint16_t *)array)[i] = (uint16_t)(bits >> 16); break;
    default: ((int8_t *)array)[i] = (int8_t)value; break;
    }
}

static inline double get_sum(enum gemm_type type, const void *array, int64_t i)
{
    return type == GEMM_F64    ? ((const double *)array)[i]
           : type == GEMM_INT8 ? ((const int32_t *)array)[i]
                               : (double)((const float *)array)[i];
}

static inline double expect(const struct gemm_args *g, int64_t row, int64_t column)
{
    const int64_t matrix = row / g->m;
    int64_t sum = 0;
    for (int64_t l = 0; l < g->k; l++)
        sum += value_at(0, row * g->k + l) * value_at(1, (matrix * g->k + l) * g->n + column);
    return (double)sum;
}

static inline void open_operands(struct operands *o, enum gemm_type type, const struct shape *shape)
{
    struct gemm_args *g = &o->args;
    *g = (struct gemm_args){
        .type = type, .m = shape->m, .n = shape->n, .k = shape->k, .batch = shape->batch};
    const int64_t rows = g->batch * g->m, a_count = rows * g->k, b_count = g->batch * g->k * g->n;
    o->c_bytes = (size_t)(rows * g->n * gemm_sum_bytes(type));
    o->a = malloc((size_t)(a_count * gemm_element_bytes(type)));
    o->b = malloc((size_t)(b_count * gemm_element_bytes(type)));
    o->c = malloc(o->c_bytes + 2 * (size_t)GUARD_BYTES);
    o->expected = malloc((size_t)(rows * g->n) * sizeof(double));
    for (int64_t i = 0; i < a_count; i++)
        put(type, o->a, i, value_at(0, i));
    for (int64_t i = 0; i < b_count; i++)
        put(type, o->b, i, value_at(1, i));
    for (int64_t i = 0; i < rows * g->n; i++)
        o->expected[i] = expect(g, i / g->n, i % g->n);
    g->a = o->a;
    g->b = o->b;
    g->c = o->c + GUARD_BYTES;
}

static inline void close_operands(struct operands *o)
{
    free(o->a);
    free(o->b);
    free(o->c);
    free(o->expected);
}

static inline void clear_c(struct operands *o)
{
    memset(o->c, GUARD, o->c_bytes + 2 * (size_t)GUARD_BYTES);
}

static inline int64_t count_changed(const unsigned char *begin, const unsigned char *end)
{
    int64_t changed = 0;
    for (; begin < end; begin++)
        changed += *begin != GUARD;
    return changed;
}

/* Elements of rows first .. first + count - 1 that are wrong, and bytes of all others, and around
 * C, that are no longer the guard. */
static inline int64_t count_wrong(const struct operands *o, int64_t first, int64_t count)
{
    const struct gemm_args *g = &o->args;
    const int64_t row_bytes = g->n * gemm_sum_bytes(g->type);
    const unsigned char *begin = o->c + GUARD_BYTES;
    int64_t wrong = count_changed(o->c, begin + first * row_bytes) +
                    count_changed(begin + (first + count) * row_bytes,
                                  o->c + o->c_bytes + 2 * (size_t)GUARD_BYTES);
    for (int64_t i = first * g->n; i < (first + count) * g->n; i++)
        wrong += get_sum(g->type, g->c, i) != o->expected[i];
    return wrong;
}

static inline void expect_right(const struct kernel *kernel, const struct operands *o,
                                int64_t first, int64_t count, const char *what)
{
    const struct gemm_args *g = &o->args;
    const int64_t wrong = count_wrong(o, first, count);
    if (wrong)
        fail_msg("%s %s %s %lldx%lldx%lld batch %lld, rows %lld + %lld (%s): %lld wrong",
                 kernels_cpu_isa_name(), kernel->name, gemm_type_names[g->type], (long long)g->m,
                 (long long)g->n, (long long)g->k, (long long)g->batch, (long long)first,
                 (long long)count, what, (long long)wrong);
}

/* All units at once, beginning anywhere; then each alone. */
static inline void check_units(struct device *device, const struct kernel *kernel,
                               struct operands *o)
{
    const struct gemm_args *g = &o->args;
    const int64_t rows = g->batch * g->m, units = kernel->units ? kernel->units(g) : 1;
    int64_t next = 0;
    clear_c(o);
    assert_int_equal(kernel->launch(device, g, units / 2, units), STATUS_OK);
    expect_right(kernel, o, 0, rows, "all units");
    for (int64_t unit = 0; unit < units; unit++) {
        int64_t first, count;
        gemm_unit_rows(kernel, g, unit, &first, &count);
        assert_int_equal(first, next);
        assert_true(count >= 1);
        clear_c(o);
        assert_int_equal(kernel->launch(device, g, unit + 3 * units, 1), STATUS_OK);
        expect_right(kernel, o, first, count, "one unit");
        next = first + count;
    }
    assert_int_equal(next, rows);
    if (units == 1) {
        o->c[GUARD_BYTES] ^= 1;
        assert_int_equal(count_wrong(o, 0, rows), 1); /* the check sees one wrong element */
    }
}

static inline void check_kernel(struct device *device, const struct kernel *kernel, int type_count)
{
    for (int type = 0; type < type_count; type++)
        for (int i = 0; i < SHAPE_COUNT; i++) {
            struct operands o;
            open_operands(&o, (enum gemm_type)type, &shapes[i]);
            for (int threads = 1; threads <= team_capacity(device->team); threads++) {
                team_resize(device->team, threads);
                check_units(device, kernel, &o);
            }
            close_operands(&o);
        }
}
