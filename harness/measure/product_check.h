/* Is C the product of A and B? Large products cannot be computed again in double each time; a wrong
 * one is found all the same:
 *
 * - Freivalds: for a vector x of random signs, C x must be A (B x), which costs m n + m k + n k
 *   instead of m n k. A wrong element changes its row's sum by +- its error, for every x. Three
 *   vectors, so that errors which cancel under one are seen by another (each halves the chance).
 * - 256 random elements, the corners, and elements along the last row and column, where ragged
 *   edges lie, each against its own sum in double.
 * - all elements in double where that was asked for and the product has at most 512^3 steps.
 *
 * Everything is worked out in double from the values' definition, not from what lies in memory.
 */
#pragma once

#include "harness/measure/bench.h"

enum { PRODUCT_VECTORS = 3 };

/* C = A B, `batch` times; row-major without gaps, matrices of a batch one behind the other. Indices
 * of a and b count through the whole batch, and so do rows: row r belongs to matrix r / m. */
struct product {
    int64_t m, n, k, batch;
    element_values a, b;  /* of bench_case::state */
    enum element element; /* of C */
    const void *c;        /* on the device */
    double scale;         /* error = |got - want| / max(scale, |want|): a typical |element of C| */
    double tolerance;     /* of an element; of a sum of n of them, sqrt(n) times as much */
    double *signs;        /* PRODUCT_VECTORS x n: the vectors x; see product_prepare */
    double *projected;    /* PRODUCT_VECTORS x batch x k: B x */
};

C_API_BEGIN

/* Allocates and computes B x, which does not change while the case lives. */
enum status product_prepare(struct bench_case *c, struct product *product);

/* Rows first_row .. first_row + row_count - 1 of the batch x m rows of C. STATUS_WRONG_ANSWER names
 * the element, or the row. c->check_all asks for all elements. */
enum status product_check(struct bench_case *c, const struct product *product, int64_t first_row,
                          int64_t row_count, struct check *check);

C_API_END
