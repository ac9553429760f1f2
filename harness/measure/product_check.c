#include "harness/measure/product_check.h"

#include "harness/measure/element.h"
#include "harness/measure/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIGN_STREAM = 101, PICK_STREAM = 202, PICKED = 256, EDGE = 32 };
static const double MOST_STEPS = 512.0 * 512 * 512;

/* What the threads of the team share. */
struct work_list {
    struct bench_case *c;
    const struct product *product;
    int64_t first_row, row_count;
    struct finding {
        enum status status; /* of memory or of the device */
        double max_error;
        int64_t row, column; /* of the first wrong element; row -1: none; column -1: of a row */
        double got, want;
    } * findings; /* one per thread */
};

static void note(struct finding *finding, int64_t row, int64_t column, double got, double want,
                 double error, double tolerance)
{
    if (isfinite(error) && error > finding->max_error)
        finding->max_error = error;
    if (!(error <= tolerance) && finding->row < 0) /* NaN is wrong, too */
        *finding = (struct finding){.max_error = finding->max_error,
                                    .row = row,
                                    .column = column,
                                    .got = got,
                                    .want = want};
}

/* ---- B x */

static void project_part(void *arg, int thread, int threads)
{
    const struct work_list *w = arg;
    const struct product *p = w->product;
    const int64_t rows = p->batch * p->k;
    double *b = malloc((size_t)p->n * sizeof(*b));
    w->findings[thread].status =
        b ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a row of %lld", (long long)p->n);
    const int64_t end = team_part_begin(rows, 1, thread + 1, threads);
    for (int64_t l = team_part_begin(rows, 1, thread, threads); b && l < end; l++) {
        p->b(w->c->state, l * p->n, p->n, b);
        for (int v = 0; v < PRODUCT_VECTORS; v++) {
            double sum = 0;
            for (int64_t j = 0; j < p->n; j++)
                sum += b[j] * p->signs[v * p->n + j];
            p->projected[v * rows + l] = sum;
        }
    }
    free(b);
}

/* ---- rows of C */

struct row_buffers {
    double *a, *c, *b; /* k, n and n doubles */
    char *raw;
};

static enum status take_buffers(const struct product *p, struct row_buffers *r)
{
    const size_t n = (size_t)p->n, k = (size_t)p->k;
    r->a = malloc((k + 3 * n) * sizeof(double));
    if (!r->a)
        return FAIL(STATUS_NO_MEMORY, "no memory for a row of %zu", k + 3 * n);
    r->c = r->a + k;
    r->b = r->c + n;
    r->raw = (char *)(r->b + n);
    return STATUS_OK;
}

static void compare_sums(const struct work_list *w, int64_t row, const struct row_buffers *r,
                         struct finding *finding)
{
    const struct product *p = w->product;
    const int64_t depth = p->batch * p->k, matrix = row / p->m;
    const double spread = sqrt((double)p->n);
    for (int v = 0; v < PRODUCT_VECTORS; v++) {
        const double *projected = p->projected + v * depth + matrix * p->k;
        double want = 0, got = 0;
        for (int64_t l = 0; l < p->k; l++)
            want += r->a[l] * projected[l];
        for (int64_t j = 0; j < p->n; j++)
            got += r->c[j] * p->signs[v * p->n + j];
        note(finding, row, -1, got, want, fabs(got - want) / (p->scale * spread),
             p->tolerance + 0x1p-40);
    }
}

/* The whole row in double: order "row of A times rows of B". */
static void compare_elements(const struct work_list *w, int64_t row, const struct row_buffers *r,
                             double *want, struct finding *finding)
{
    const struct product *p = w->product;
    const int64_t matrix = row / p->m;
    memset(want, 0, (size_t)p->n * sizeof(*want));
    for (int64_t l = 0; l < p->k; l++) {
        p->b(w->c->state, (matrix * p->k + l) * p->n, p->n, r->b);
        for (int64_t j = 0; j < p->n; j++)
            want[j] += r->a[l] * r->b[j];
    }
    for (int64_t j = 0; j < p->n; j++)
        note(finding, row, j, r->c[j], want[j],
             fabs(r->c[j] - want[j]) / fmax(p->scale, fabs(want[j])), p->tolerance);
}

static bool wants_all(const struct work_list *w)
{
    const struct product *p = w->product;
    return w->c->check_all &&
           (double)p->m * (double)p->n * (double)p->k * (double)p->batch <= MOST_STEPS;
}

static enum status check_row(const struct work_list *w, int64_t row, const struct row_buffers *r,
                             double *want, struct finding *finding)
{
    const struct product *p = w->product;
    const size_t size = element_bytes(p->element);
    TRY(device_download(w->c->device, r->raw, (const char *)p->c + (size_t)(row * p->n) * size,
                        (size_t)p->n * size));
    element_decode(p->element, r->raw, p->n, r->c);
    p->a(w->c->state, row * p->k, p->k, r->a);
    if (wants_all(w)) /* first, since it names the element */
        compare_elements(w, row, r, want, finding);
    compare_sums(w, row, r, finding);
    return STATUS_OK;
}

static void check_part(void *arg, int thread, int threads)
{
    const struct work_list *w = arg;
    struct finding *finding = &w->findings[thread];
    struct row_buffers r = {0};
    double *want = malloc((size_t)w->product->n * sizeof(*want));
    finding->row = -1;
    finding->status =
        want ? take_buffers(w->product, &r)
             : FAIL(STATUS_NO_MEMORY, "no memory for a row of %lld", (long long)w->product->n);
    const int64_t end = team_part_begin(w->row_count, 1, thread + 1, threads);
    for (int64_t i = team_part_begin(w->row_count, 1, thread, threads);
         finding->status == STATUS_OK && i < end; i++)
        finding->status = check_row(w, w->first_row + i, &r, want, finding);
    free(want);
    free(r.a);
}

/* ---- single elements */

static enum status check_element(const struct work_list *w, int64_t row, int64_t column,
                                 struct row_buffers *r, struct finding *finding)
{
    const struct product *p = w->product;
    const size_t size = element_bytes(p->element);
    double want = 0, got;
    p->a(w->c->state, row * p->k, p->k, r->a);
    for (int64_t l = 0; l < p->k; l++) {
        double b;
        p->b(w->c->state, (row / p->m * p->k + l) * p->n + column, 1, &b);
        want += r->a[l] * b;
    }
    TRY(device_download(w->c->device, r->raw,
                        (const char *)p->c + (size_t)(row * p->n + column) * size, size));
    element_decode(p->element, r->raw, 1, &got);
    note(finding, row, column, got, want, fabs(got - want) / fmax(p->scale, fabs(want)),
         p->tolerance);
    return STATUS_OK;
}

static int64_t pick(int64_t index, int64_t count)
{
    return (int64_t)((value_at(PICK_STREAM, index) + 1) * 1024 +
                     (value_at(PICK_STREAM + 1, index) + 1) * 1048576) %
           count;
}

static enum status check_elements(const struct work_list *w, struct finding *finding)
{
    const struct product *p = w->product;
    const int64_t first = w->first_row, last = first + w->row_count - 1;
    struct row_buffers r;
    TRY(take_buffers(p, &r));
    enum status status = STATUS_OK;
    for (int64_t i = 0; status == STATUS_OK && i < PICKED; i++)
        status =
            check_element(w, first + pick(2 * i, w->row_count), pick(2 * i + 1, p->n), &r, finding);
    for (int corner = 0; status == STATUS_OK && corner < 4; corner++)
        status =
            check_element(w, corner & 1 ? last : first, corner & 2 ? p->n - 1 : 0, &r, finding);
    for (int64_t i = 0; status == STATUS_OK && i < EDGE; i++) {
        status = check_element(w, last, p->n - 1 - i * (p->n - 1) / EDGE, &r, finding);
        if (status == STATUS_OK)
            status = check_element(w, last - i * (w->row_count - 1) / EDGE, p->n - 1, &r, finding);
    }
    free(r.a);
    return status;
}

/* ---- together */

static enum status report(const struct work_list *w, const struct finding *f)
{
    const struct product *p = w->product;
    const long long row = (long long)f->row;
    if (f->row < 0)
        return STATUS_OK;
    if (f->column < 0)
        return FAIL(STATUS_WRONG_ANSWER,
                    "%s: row %lld of C is wrong: with random signs it sums to %.9g, not %.9g "
                    "(tolerance %.2g)",
                    w->c->kernel->name, row, f->got, f->want, p->tolerance);
    return FAIL(STATUS_WRONG_ANSWER, "%s: C[%lld][%lld] is %.9g, not %.9g (tolerance %.2g)",
                w->c->kernel->name, row, (long long)f->column, f->got, f->want, p->tolerance);
}

static enum status run_threads(struct work_list *w, team_body body, struct check *check)
{
    struct team *team = device_team(w->c->device);
    const int threads = team_size(team);
    w->findings = calloc((size_t)threads + 1, sizeof(*w->findings));
    if (!w->findings)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d threads", threads);
    for (int i = 0; i <= threads; i++)
        w->findings[i].row = -1;
    team_run(team, body, w);
    enum status status = STATUS_OK;
    if (check)
        status = check_elements(w, &w->findings[threads]);
    for (int i = threads; i >= 0; i--) { /* single elements first: they say more */
        if (status == STATUS_OK && w->findings[i].status != STATUS_OK)
            status = FAIL(w->findings[i].status, "%s", status_text(w->findings[i].status));
        if (check)
            check->max_error = fmax(check->max_error, w->findings[i].max_error);
        if (status == STATUS_OK)
            status = report(w, &w->findings[i]);
    }
    free(w->findings);
    return status;
}

enum status product_prepare(struct bench_case *c, struct product *product)
{
    const size_t depth = (size_t)(PRODUCT_VECTORS * product->batch * product->k);
    const size_t width = (size_t)(PRODUCT_VECTORS * product->n);
    TRY(case_notes(c, depth * sizeof(double), &product->projected));
    TRY(case_notes(c, width * sizeof(double), &product->signs));
    for (size_t i = 0; i < width; i++)
        product->signs[i] = value_at(SIGN_STREAM, (int64_t)i) < 0 ? -1 : 1;
    struct work_list w = {.c = c, .product = product};
    return run_threads(&w, project_part, NULL);
}

enum status product_check(struct bench_case *c, const struct product *product, int64_t first_row,
                          int64_t row_count, struct check *check)
{
    struct work_list w = {
        .c = c, .product = product, .first_row = first_row, .row_count = row_count};
    check->tolerance = product->tolerance;
    return run_threads(&w, check_part, check);
}
