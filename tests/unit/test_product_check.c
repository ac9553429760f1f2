/* The check of large products: what is right passes, and each way of being wrong is caught. */
#include "harness/measure/case.h"
#include "harness/measure/element.h"
#include "harness/measure/product_check.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <math.h>
#include <stdlib.h>

static void values_of_a(const void *state, int64_t first, int64_t count, double *out)
{
    (void)state;
    for (int64_t i = 0; i < count; i++)
        out[i] = value_at(1, first + i);
}

static void values_of_b(const void *state, int64_t first, int64_t count, double *out)
{
    (void)state;
    for (int64_t i = 0; i < count; i++)
        out[i] = value_at(2, first + i);
}

static const struct kernel trial = {.name = "trial"};

/* A product on a fake device, right to the last bit. */
struct bed {
    struct bench_case c;
    struct product product;
    double *elements;
};

static void multiply(const struct product *p, double *c)
{
    double *b = malloc((size_t)(p->k * p->n) * sizeof(*b)), a;
    for (int64_t z = 0; z < p->batch; z++) {
        values_of_b(NULL, z * p->k * p->n, p->k * p->n, b);
        for (int64_t row = z * p->m; row < (z + 1) * p->m; row++)
            for (int64_t l = 0; l < p->k; l++) {
                values_of_a(NULL, row * p->k + l, 1, &a);
                for (int64_t j = 0; j < p->n; j++)
                    c[row * p->n + j] += a * b[l * p->n + j];
            }
    }
    free(b);
}

static void make(struct bed *bed, int64_t m, int64_t n, int64_t k, int64_t batch)
{
    *bed = (struct bed){.c = {.device = fake_device_open("fake:1e-3"), .kernel = &trial}};
    bed->elements = calloc((size_t)(batch * m * n), sizeof(double));
    bed->product = (struct product){.m = m,
                                    .n = n,
                                    .k = k,
                                    .batch = batch,
                                    .a = values_of_a,
                                    .b = values_of_b,
                                    .element = ELEMENT_F64,
                                    .c = bed->elements,
                                    .scale = fmax(1, sqrt((double)k) / 3),
                                    .tolerance = 8 * 0x1p-24 * sqrt((double)k)};
    multiply(&bed->product, bed->elements);
    assert_int_equal(product_prepare(&bed->c, &bed->product), STATUS_OK);
}

static void drop(struct bed *bed)
{
    case_free_buffers(&bed->c);
    free(bed->elements);
    device_close(bed->c.device);
}

static enum status check_rows(struct bed *bed, bool all, int64_t first, int64_t count)
{
    struct check check = {0};
    bed->c.check_all = all;
    return product_check(&bed->c, &bed->product, first, count, &check);
}

static enum status check_it(struct bed *bed, bool all)
{
    return check_rows(bed, all, 0, bed->product.batch * bed->product.m);
}

/* Larger than is computed whole, so that Freivalds has to find it. */
enum { M = 600, N = 520, K = 530 };

static void a_right_product_passes(void **state)
{
    static const int64_t shapes[][4] = {{M, N, K, 1},   {1, 700, 300, 1}, {700, 1, 300, 1},
                                        {40, 50, 1, 1}, {8, 8, 8, 30},    {1, 1, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (int all = 0; all < 2; all++) {
            struct bed bed;
            make(&bed, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
            assert_int_equal(check_it(&bed, all), STATUS_OK);
            drop(&bed);
        }
}

static void one_wrong_element_is_caught_wherever_it_is(void **state)
{
    (void)state;
    struct bed bed;
    make(&bed, M, N, K, 1);
    for (int64_t place = 3; place < M * N; place += M * N / 40 + 1) {
        const double right = bed.elements[place];
        bed.elements[place] += 0.02; /* of about 8 */
        sentence_check(check_it(&bed, false), STATUS_WRONG_ANSWER, "trial: ");
        bed.elements[place] = NAN;
        sentence_check(check_it(&bed, false), STATUS_WRONG_ANSWER, "trial: ");
        bed.elements[place] = right;
    }
    assert_int_equal(check_it(&bed, false), STATUS_OK);
    drop(&bed);
}

static void a_skipped_tail_is_caught(void **state)
{
    (void)state;
    struct bed bed;
    make(&bed, M, N, K, 1);
    for (int64_t i = 0; i < M; i++) /* the last column was never written */
        bed.elements[i * N + N - 1] = NAN;
    sentence_check(check_it(&bed, false), STATUS_WRONG_ANSWER, "C[");
    drop(&bed);

    make(&bed, M, N, K, 1);
    double last_a, last_b[N]; /* the last step of k is missing */
    values_of_b(NULL, (int64_t)(K - 1) * N, N, last_b);
    for (int64_t i = 0; i < M; i++) {
        values_of_a(NULL, i * K + K - 1, 1, &last_a);
        for (int64_t j = 0; j < N; j++)
            bed.elements[i * N + j] -= last_a * last_b[j];
    }
    sentence_check(check_it(&bed, false), STATUS_WRONG_ANSWER, "");
    drop(&bed);
}

/* Two columns of 8, as a packed panel holds them, change places. */
static void swapped_panels_are_caught(void **state)
{
    (void)state;
    struct bed bed;
    make(&bed, M, N, K, 1);
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < 8; j++) {
            double *row = bed.elements + i * N, kept = row[80 + j];
            row[80 + j] = row[160 + j];
            row[160 + j] = kept;
        }
    sentence_check(check_it(&bed, false), STATUS_WRONG_ANSWER, "trial: ");
    drop(&bed);
}

static void errors_that_cancel_in_a_sum_are_caught(void **state)
{
    (void)state;
    struct bed bed;
    int found = 0;
    make(&bed, M, N, K, 1);
    for (int64_t i = 5; i < M; i += 29) { /* + and - the same in one row */
        bed.elements[i * N + 7] += 0.5;
        bed.elements[i * N + 8 + i % 300] -= 0.5;
        found += check_rows(&bed, false, i, 1) == STATUS_WRONG_ANSWER;
        bed.elements[i * N + 7] -= 0.5;
        bed.elements[i * N + 8 + i % 300] += 0.5;
    }
    assert_true(found >= 16); /* of 21; each vector misses one of two, three of them one of eight */
    drop(&bed);
}

static void small_products_are_compared_whole(void **state)
{
    (void)state;
    struct bed bed;
    make(&bed, 70, 60, 50, 2);
    const int64_t place = 131 * 60 + 31; /* in the second matrix of the batch */
    bed.elements[place] *= 1.001;
    sentence_check(check_it(&bed, true), STATUS_WRONG_ANSWER, "131");
    drop(&bed);
}

static void only_the_rows_asked_for_count(void **state)
{
    (void)state;
    struct bed bed;
    make(&bed, M, N, K, 1);
    bed.elements[100 * N + 3] += 1;
    assert_int_equal(check_rows(&bed, false, 101, 64), STATUS_OK);
    sentence_check(check_rows(&bed, false, 64, 64), STATUS_WRONG_ANSWER, "100");
    drop(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_product_passes),
        cmocka_unit_test(one_wrong_element_is_caught_wherever_it_is),
        cmocka_unit_test(a_skipped_tail_is_caught),
        cmocka_unit_test(swapped_panels_are_caught),
        cmocka_unit_test(errors_that_cancel_in_a_sum_are_caught),
        cmocka_unit_test(small_products_are_compared_whole),
        cmocka_unit_test(only_the_rows_asked_for_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
