/* The fast rungs of the matrix product, packed and dot: every type, instruction set and number of
 * threads, at shapes around all edges of tiles and blocks, against the definition. Values are whole
 * numbers whose sums fit the type, so that a right answer is exact in any order of summation. */
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_cpu_split.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"
#include "tests/unit/kernel_device.h"
#include "tests/unit/sentence.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    GUARD = 8192, /* bytes before and behind what a kernel may write */
    CANARY = 0xA5,
    UNSET = 0xFF, /* NaN, or -1: shows in an answer that was not computed */
    ALIGNMENT = 64,
};

/* ---- Operands that end where memory ends, and results between canaries. */

static size_t round_to_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* `size` bytes, behind which nothing can be read. */
static void *map_operand(size_t size)
{
    const size_t pages = round_to_pages(size);
    char *map =
        mmap(NULL, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + pages, PAGE, PROT_NONE), 0);
    return map + pages - size;
}

static void unmap_operand(void *operand, size_t size)
{
    const size_t pages = round_to_pages(size);
    munmap((char *)operand + size - pages, pages + PAGE);
}

static void *make_result(size_t size)
{
    const size_t whole = (size + 2 * (size_t)GUARD + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *memory = aligned_alloc(ALIGNMENT, whole);
    memset(memory, CANARY, size + 2 * (size_t)GUARD);
    memset(memory + GUARD, UNSET, size);
    return memory + GUARD;
}

static bool is_guarded(const void *result, size_t size)
{
    const unsigned char *bytes = result;
    bool intact = true;
    for (int i = 1; i <= GUARD; i++)
        intact = intact && bytes[-i] == CANARY && bytes[size + (size_t)i - 1] == CANARY;
    return intact;
}

static void free_result(void *result)
{
    free((char *)result - GUARD);
}

/* ---- Values. */

/* bf16 holds whole numbers to 256, and an f32 sum of 4096 products of +-63 is exact. */
static int64_t get_value(enum gemm_type type, int64_t index, int salt)
{
    static const int64_t ranges[GEMM_CPU_TYPE_COUNT] = {127, 2000001, 127, 256};
    uint64_t x = ((uint64_t)index + 1 + (uint64_t)salt * 1000003) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (int64_t)((x >> 40) % (uint64_t)ranges[type]) - ranges[type] / 2;
}

static void put_value(enum gemm_type type, void *array, int64_t i, int64_t value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    switch (type) {
    case GEMM_F32: memcpy((float *)array + i, &narrow, sizeof(narrow)); break;
    case GEMM_F64: ((double *)array)[i] = (double)value; break;
    case GEMM_BF16: ((uint16_t *)array)[i] = (uint16_t)(bits >> 16); break;
    default: ((int8_t *)array)[i] = (int8_t)value; break;
    }
}

static double read_sum(enum gemm_type type, const void *c, int64_t i)
{
    switch (type) {
    case GEMM_F64: return ((const double *)c)[i];
    case GEMM_INT8: return ((const int32_t *)c)[i];
    default: return ((const float *)c)[i];
    }
}

struct product {
    struct gemm_args args;
    int64_t *a, *b, *expected;
    size_t a_bytes, b_bytes, c_bytes;
};

static int64_t *make_values(enum gemm_type type, int64_t count, int salt, void *array)
{
    int64_t *values = malloc((size_t)count * sizeof(*values));
    for (int64_t i = 0; i < count; i++) {
        values[i] = get_value(type, i, salt);
        put_value(type, array, i, values[i]);
    }
    return values;
}

static void multiply(struct product *product)
{
    const struct gemm_args *args = &product->args;
    const int64_t m = args->m, n = args->n, k = args->k;
    product->expected = calloc((size_t)(args->batch * m * n), sizeof(int64_t));
    for (int64_t row = 0; row < args->batch * m; row++)
        for (int64_t l = 0; l < k; l++) {
            const int64_t a = product->a[row * k + l];
            const int64_t *b = product->b + (row / m * k + l) * n;
            int64_t *c = product->expected + row * n;
            for (int64_t j = 0; j < n; j++)
                c[j] += a * b[j];
        }
}

static struct product open_product(enum gemm_type type, int64_t m, int64_t n, int64_t k,
                                   int64_t batch)
{
    struct product p = {.args = {.type = type, .m = m, .n = n, .k = k, .batch = batch}};
    p.a_bytes = (size_t)(batch * m * k * gemm_element_bytes(type));
    p.b_bytes = (size_t)(batch * k * n * gemm_element_bytes(type));
    p.c_bytes = (size_t)(batch * m * n * gemm_sum_bytes(type));
    void *a = map_operand(p.a_bytes), *b = map_operand(p.b_bytes);
    p.a = make_values(type, batch * m * k, 1, a);
    p.b = make_values(type, batch * k * n, 2, b);
    p.args.a = a;
    p.args.b = b;
    multiply(&p);
    return p;
}

static void close_product(struct product *product)
{
    unmap_operand((void *)product->args.a, product->a_bytes);
    unmap_operand((void *)product->args.b, product->b_bytes);
    free(product->a);
    free(product->b);
    free(product->expected);
}

/* ---- One product by one rung. */

static void check_launch(struct device *device, const struct kernel *kernel,
                         struct product *product, int thread_count)
{
    struct gemm_args *args = &product->args;
    const size_t space_bytes = kernel->workspace_bytes(args, thread_count);
    args->c = make_result(product->c_bytes);
    void *space = make_result(space_bytes);
    args->workspace = space_bytes > 0 ? space : NULL;
    team_resize(device->team, thread_count);
    assert_int_equal(kernel->launch(device, args, 0, 1), STATUS_OK);

    const char *set = kernels_cpu_isa_name(), *type = gemm_type_names[args->type];
    for (int64_t i = 0; i < args->batch * args->m * args->n; i++)
        if (read_sum(args->type, args->c, i) != (double)product->expected[i])
            fail_msg("%s %s %s %lld x %lld x %lld, batch %lld, %d threads: element %lld is %.17g "
                     "and not %lld",
                     set, kernel->name, type, (long long)args->m, (long long)args->n,
                     (long long)args->k, (long long)args->batch, thread_count, (long long)i,
                     read_sum(args->type, args->c, i), (long long)product->expected[i]);
    if (!is_guarded(args->c, product->c_bytes) || !is_guarded(space, space_bytes))
        fail_msg("%s %s %s %lld x %lld x %lld, %d threads: written beside C or the workspace", set,
                 kernel->name, type, (long long)args->m, (long long)args->n, (long long)args->k,
                 thread_count);
    free_result(args->c);
    free_result(space);
}

/* Every set that this processor has, both rungs, one thread and two. */
static void check_product(struct device *device, enum gemm_type type, int64_t m, int64_t n,
                          int64_t k, int64_t batch)
{
    struct product product = open_product(type, m, n, k, batch);
    for (int i = 0; isa_table[i].name; i++) {
        if (!isa_table[i].supported())
            continue;
        assert_int_equal(kernels_cpu_choose(isa_table[i].name), STATUS_OK);
        for (int thread_count = 1; thread_count <= THREADS; thread_count++) {
            check_launch(device, &gemm_cpu_packed, &product, thread_count);
            if (gemm_cpu_dot.supports(&product.args) == STATUS_OK)
                check_launch(device, &gemm_cpu_dot, &product, thread_count);
        }
    }
    close_product(&product);
}

/* ---- Shapes. */

static void small_and_narrow_products_are_right(void **state)
{
    static const int64_t shapes[][4] = {
        {1, 1, 1, 1},      {8, 8, 8, 1},     {1, 70, 33, 1},  {70, 1, 33, 1},    {1, 1, 70, 1},
        {33, 40, 1, 1},    {7, 500, 65, 1},  {2, 450, 40, 1}, {3, 300, 9, 1},    {4, 200, 17, 1},
        {5, 170, 17, 1},   {6, 130, 3, 1},   {41, 2, 50, 1},  {41, 3, 19, 1},    {1, 4001, 37, 1},
        {500, 17, 301, 1}, {500, 1, 301, 1}, {3, 1, 1025, 1}, {8, 1000, 301, 1},
    };
    for (int type = 0; type < GEMM_CPU_TYPE_COUNT; type++) {
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            check_product(*state, (enum gemm_type)type, shapes[i][0], shapes[i][1], shapes[i][2],
                          shapes[i][3]);
        for (int i = 0; i < 60; i++)
            check_product(*state, (enum gemm_type)type, 1 + (i * 37 + 11) % 70,
                          1 + (i * 53 + 5) % 70, 1 + (i * 29 + 3) % 70, 1);
    }
}

static void batches_are_right_where_threads_share_a_matrix_and_where_each_has_its_own(void **state)
{
    for (int type = 0; type < GEMM_CPU_TYPE_COUNT; type++) {
        check_product(*state, (enum gemm_type)type, 8, 8, 8, 50);
        check_product(*state, (enum gemm_type)type, 5, 7, 9, 3);
        check_product(*state, (enum gemm_type)type, 13, 1, 21, 9);
        check_product(*state, (enum gemm_type)type, 20, 60, 1700, 2);
        check_product(*state, (enum gemm_type)type, 20, 60, 1700, 9);
    }
}

/* Rows and columns beyond one tile, all remainders of rows, and of columns those that change what
 * a tile stores; deep enough that packing pays. */
static void every_edge_of_a_tile_is_right(void **state)
{
    static const int64_t columns[] = {49, 57, 64, 65, 72, 80, 95, 96, 97};
    for (int type = 0; type < GEMM_CPU_TYPE_COUNT; type++)
        for (int64_t m = 9; m <= 17; m++)
            for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
                const int64_t bytes = gemm_element_bytes((enum gemm_type)type);
                const int64_t k = 131072 / bytes / (m + columns[i]) + 1 + m % 4;
                check_product(*state, (enum gemm_type)type, m, columns[i], k, 1);
            }
}

/* The block sizes of gemm_cpu_blocking.c, one less and one more; k by type and rung. */
static void every_edge_of_a_block_is_right(void **state)
{
    static const int64_t depths[] = {255, 256, 257, 511, 512, 513, 1024, 1025, 2048, 2049, 2051};
    for (int type = 0; type < GEMM_CPU_TYPE_COUNT; type++) {
        for (int64_t off = -1; off <= 1; off++) {
            check_product(*state, (enum gemm_type)type, 1008 + off, 50, 131, 1);
            check_product(*state, (enum gemm_type)type, 30, 240 + off, 563, 1);
        }
        check_product(*state, (enum gemm_type)type, 2020, 53, 70, 1);
        check_product(*state, (enum gemm_type)type, 30, 730, 190, 1);
        for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
            check_product(*state, (enum gemm_type)type, 49, 241, depths[i], 1);
    }
}

/* The largest magnitudes: a + 128 is 255 or 0, and sums on the way pass 2^31. */
static void int8_sums_are_exact_at_the_ends_of_the_range(void **state)
{
    static const int ends[][2] = {{-128, -128}, {127, -128}, {-128, 127}, {127, 127}};
    enum { M = 9, N = 50, K = 100001 };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct product product = open_product(GEMM_INT8, M, N, K, 1);
        memset((void *)product.args.a, ends[i][0], product.a_bytes);
        memset((void *)product.args.b, ends[i][1], product.b_bytes);
        for (int64_t c = 0; c < M * N; c++)
            product.expected[c] = (int64_t)K * ends[i][0] * ends[i][1];
        for (int set = 0; isa_table[set].name; set++) {
            if (!isa_table[set].supported())
                continue;
            assert_int_equal(kernels_cpu_choose(isa_table[set].name), STATUS_OK);
            check_launch(*state, &gemm_cpu_packed, &product, 1);
            if (gemm_cpu_dot.supports(&product.args) == STATUS_OK)
                check_launch(*state, &gemm_cpu_dot, &product, 1);
        }
        close_product(&product);
    }
}

static void launched_more_than_once_the_answer_is_the_same(void **state)
{
    struct device *device = *state;
    struct product product = open_product(GEMM_F32, 40, 100, 600, 1);
    assert_int_equal(kernels_cpu_choose(NULL), STATUS_OK);
    const size_t space = gemm_cpu_packed.workspace_bytes(&product.args, 1);
    product.args.c = make_result(product.c_bytes);
    product.args.workspace = make_result(space);
    team_resize(device->team, 1);
    assert_int_equal(gemm_cpu_packed.launch(device, &product.args, 7, 3), STATUS_OK);
    for (int64_t i = 0; i < 40 * 100; i++)
        assert_true(read_sum(GEMM_F32, product.args.c, i) == (double)product.expected[i]);
    free_result(product.args.workspace);
    free_result(product.args.c);
    close_product(&product);
}

/* ---- What is said. */

static void dot_declines_what_it_cannot_do_with_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(kernels_cpu_choose(NULL), STATUS_OK);
    struct gemm_args args = {.type = GEMM_F64, .m = 9, .n = 9, .k = 9, .batch = 1};
    sentence_check(gemm_cpu_dot.supports(&args), STATUS_SKIP, "bf16 and int8 only, not f64");
    assert_int_equal(kernels_cpu_choose(isa_table[0].name), STATUS_OK);
    args.type = GEMM_BF16;
    sentence_check(gemm_cpu_dot.supports(&args), STATUS_SKIP, "bf16");
    assert_false(gemm_cpu_dot.workspace_bytes(&args, 2) > 0);
}

static void a_rung_says_its_tile_and_what_it_moves(void **state)
{
    (void)state;
    char text[128];
    struct kernel_traffic traffic;
    struct gemm_args args = {.type = GEMM_F32, .m = 480, .n = 480, .k = 512, .batch = 1};
    assert_int_equal(kernels_cpu_choose(isa_table[0].name), STATUS_OK);
    const int rows = isa_table[1].name ? 6 : 8, columns = isa_table[1].name ? 8 : 12;
    char expected[128];
    snprintf(expected, sizeof(expected), "%d x %d sums in registers, packed, %s", rows, columns,
             isa_table[0].name);
    gemm_cpu_packed.describe(&args, 1, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_true(gemm_cpu_packed.traffic(&args, &traffic));
    assert_true(traffic.bytes == 480.0 * 480 * 512 * 4 / rows);
    assert_true(traffic.set_bytes == 240.0 * 512 * 4);
    args.n = 1;
    assert_false(gemm_cpu_packed.traffic(&args, &traffic));
    assert_int_equal(gemm_cpu_packed.workspace_bytes(&args, 8), 0);
}

/* ---- The grid of threads. */

static void parts_cover_a_matrix_once_and_none_is_much_larger_than_its_share(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{64, 96}, {1, 4096}, {4096, 1}, {251, 257}, {33, 7}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        for (int thread_count = 1; thread_count <= 13; thread_count++) {
            const int64_t rows = shapes[s][0], columns = shapes[s][1];
            unsigned char *seen = calloc((size_t)(rows * columns), 1);
            for (int thread = 0; thread < thread_count; thread++) {
                const struct gemm_part p = gemm_split(rows, columns, 8, 16, thread, thread_count);
                for (int64_t i = p.row; i < p.row_end; i++)
                    for (int64_t j = p.column; j < p.column_end; j++)
                        assert_int_equal(seen[i * columns + j]++, 0);
            }
            for (int64_t i = 0; i < rows * columns; i++)
                assert_int_equal(seen[i], 1);
            free(seen);
        }
    const struct gemm_part p = gemm_split(1024, 1024, 8, 16, 0, 2);
    assert_int_equal((p.row_end - p.row) * (p.column_end - p.column), 1024 * 512);
    const struct gemm_part q = gemm_split(1024, 1024, 8, 16, 5, 16);
    assert_int_equal(q.row_end - q.row, 256);
    assert_int_equal(q.column_end - q.column, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_narrow_products_are_right),
        cmocka_unit_test(batches_are_right_where_threads_share_a_matrix_and_where_each_has_its_own),
        cmocka_unit_test(every_edge_of_a_tile_is_right),
        cmocka_unit_test(every_edge_of_a_block_is_right),
        cmocka_unit_test(int8_sums_are_exact_at_the_ends_of_the_range),
        cmocka_unit_test(launched_more_than_once_the_answer_is_the_same),
        cmocka_unit_test(dot_declines_what_it_cannot_do_with_a_sentence),
        cmocka_unit_test(a_rung_says_its_tile_and_what_it_moves),
        cmocka_unit_test(parts_cover_a_matrix_once_and_none_is_much_larger_than_its_share),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
