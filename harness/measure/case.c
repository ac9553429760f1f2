#include "harness/measure/case.h"

#include "harness/measure/element.h"
#include "harness/measure/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements are made, moved and compared block by block. */
enum { BLOCK = 1024, SPREAD = 16, MOST_BUFFERS = 8 };

/* Buffers begin at 2 MiB boundaries plus a different number of cache lines each. Without that all
 * arrays of a case would agree in their low 12 address bits, and a load would seem to depend on
 * the store before it (4 KiB aliasing). 17 lines keep the sum of a few away from 4 KiB. */
static const size_t STAGGER_BYTES = 17 * 64;

struct buffer_list {
    struct buffer_list *next;
    void *memory;   /* as the device gave it */
    void *elements; /* where the staggered array begins */
    size_t memory_bytes;
    enum element element;
    int64_t count;
    enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_WORKSPACE, ROLE_NOTES } role;
};

/* What one thread of the team does to its part of a buffer. */
struct pass {
    struct bench_case *c;
    char *elements;
    enum element element;
    int64_t count;
    element_values values; /* NULL: zeros, or NaN for an output */
    bool is_output;
    double scale, tolerance; /* of a comparison */
    struct check *checks;    /* one per thread */
    int64_t *wrong;          /* first wrong element per thread, or -1 */
    enum status *statuses;   /* one per thread */
};

static int64_t part_begin(const struct pass *p, int thread, int threads)
{
    return team_part_begin(p->count, (int64_t)(64 / element_bytes(p->element)), thread, threads);
}

static void fill_part(void *arg, int thread, int threads)
{
    const struct pass *p = arg;
    double values[BLOCK];
    char block[BLOCK * sizeof(double)];
    int64_t end = part_begin(p, thread + 1, threads);
    for (int64_t i = part_begin(p, thread, threads); i < end; i += BLOCK) {
        int64_t count = end - i < BLOCK ? end - i : BLOCK;
        for (int64_t k = 0; k < count; k++)
            values[k] = p->is_output ? (double)NAN : 0;
        if (p->values)
            p->values(p->c->state, i, count, values);
        element_encode(p->element, values, count, block);
        enum status status =
            device_upload(p->c->device, p->elements + (size_t)i * element_bytes(p->element), block,
                          (size_t)count * element_bytes(p->element));
        if (status != STATUS_OK)
            p->statuses[thread] = status;
    }
}

static void compare_block(const struct pass *p, int thread, int64_t first, int64_t count)
{
    double want[BLOCK], got[BLOCK];
    char block[BLOCK * sizeof(double)];
    size_t size = element_bytes(p->element);
    enum status status = device_download(p->c->device, block, p->elements + (size_t)first * size,
                                         (size_t)count * size);
    if (status != STATUS_OK)
        p->statuses[thread] = status;
    element_decode(p->element, block, count, got);
    p->values(p->c->state, first, count, want);
    struct check *check = &p->checks[thread];
    for (int64_t k = 0; k < count; k++) {
        double error = fabs(got[k] - want[k]) / fmax(p->scale, fabs(want[k]));
        if (!(error <= p->tolerance) && p->wrong[thread] < 0) /* NaN is wrong, too */
            p->wrong[thread] = first + k;
        if (isfinite(error) && error > check->max_error) /* what is stored must be a number */
            check->max_error = error;
    }
}

static void compare_part(void *arg, int thread, int threads)
{
    const struct pass *p = arg;
    int64_t begin = part_begin(p, thread, threads), end = part_begin(p, thread + 1, threads);
    int64_t blocks = (end - begin + BLOCK - 1) / BLOCK;
    for (int64_t b = 0; b < blocks; b++) {
        int64_t first = begin + b * BLOCK;
        if (p->c->check_all || b % SPREAD == 0 || b == blocks - 1)
            compare_block(p, thread, first, end - first < BLOCK ? end - first : BLOCK);
    }
}

/* Runs a body on all threads of the case, with one status, check and place of error each. */
static enum status run_pass(struct pass *p, team_body body, struct check *check, int64_t *wrong)
{
    struct team *team = device_team(p->c->device);
    int threads = team_size(team);
    p->statuses = calloc((size_t)threads, sizeof(*p->statuses));
    p->checks = calloc((size_t)threads, sizeof(*p->checks));
    p->wrong = malloc((size_t)threads * sizeof(*p->wrong));
    enum status status = p->statuses && p->checks && p->wrong
                             ? STATUS_OK
                             : FAIL(STATUS_NO_MEMORY, "no memory for %d threads", threads);
    for (int i = 0; status == STATUS_OK && i < threads; i++)
        p->wrong[i] = -1;
    if (status == STATUS_OK)
        team_run(team, body, p);
    for (int i = 0; status == STATUS_OK && i < threads; i++) {
        check->max_error = fmax(check->max_error, p->checks[i].max_error);
        *wrong = *wrong < 0 ? p->wrong[i] : *wrong;
        if (p->statuses[i] != STATUS_OK) /* its sentence stayed on that thread */
            status = FAIL(p->statuses[i], "%s", status_text(p->statuses[i]));
    }
    free(p->statuses);
    free(p->checks);
    free(p->wrong);
    return status;
}

static enum status fill(struct bench_case *c, const struct buffer_list *b, element_values values)
{
    struct pass pass = {.c = c,
                        .elements = b->elements,
                        .element = b->element,
                        .count = b->count,
                        .values = values,
                        .is_output = b->role == ROLE_OUTPUT};
    struct check none = {0};
    int64_t wrong = -1;
    TRY(run_pass(&pass, fill_part, &none, &wrong));
    return STATUS_OK;
}

static size_t buffer_number(const struct bench_case *c)
{
    size_t number = 0;
    for (const struct buffer_list *b = c->buffers; b; b = b->next)
        number++;
    return number;
}

/* Takes the list's record and, but for notes, the device's memory. */
static enum status add_buffer(struct bench_case *c, enum element element, int64_t count,
                              enum role role, struct buffer_list **added)
{
    size_t offset = buffer_number(c) % MOST_BUFFERS * STAGGER_BYTES;
    struct buffer_list *b = calloc(1, sizeof(*b));
    if (!b)
        return FAIL(STATUS_NO_MEMORY, "no memory for a buffer's record");
    b->element = element;
    b->count = count;
    b->role = role;
    b->memory_bytes = (size_t)count * element_bytes(element) + offset;
    enum status status = STATUS_OK;
    if (role != ROLE_NOTES)
        status = device_alloc(c->device, b->memory_bytes, &b->memory);
    else if (!(b->memory = calloc(1, b->memory_bytes)))
        status = FAIL(STATUS_NO_MEMORY, "no memory for %zu bytes of notes", b->memory_bytes);
    if (status != STATUS_OK) {
        free(b);
        return status;
    }
    b->elements = (char *)b->memory + offset;
    b->next = c->buffers;
    c->buffers = b;
    *added = b;
    return STATUS_OK;
}

enum status case_output(struct bench_case *c, enum element element, int64_t count, void *pointer)
{
    struct buffer_list *b = NULL;
    TRY(add_buffer(c, element, count, ROLE_OUTPUT, &b));
    memcpy(pointer, &b->elements, sizeof(b->elements));
    return fill(c, b, NULL);
}

enum status case_input(struct bench_case *c, enum element element, int64_t count,
                       element_values values, void *pointer)
{
    struct buffer_list *b = NULL;
    TRY(add_buffer(c, element, count, ROLE_INPUT, &b));
    memcpy(pointer, &b->elements, sizeof(b->elements));
    return fill(c, b, values);
}

static enum status add_bytes(struct bench_case *c, size_t size_bytes, enum role role, void *pointer)
{
    struct buffer_list *b = NULL;
    TRY(add_buffer(c, ELEMENT_INT8, (int64_t)size_bytes, role, &b));
    memcpy(pointer, &b->elements, sizeof(b->elements));
    return STATUS_OK;
}

enum status case_workspace(struct bench_case *c, size_t size_bytes, void *pointer)
{
    return add_bytes(c, size_bytes, ROLE_WORKSPACE, pointer);
}

enum status case_notes(struct bench_case *c, size_t size_bytes, void *pointer)
{
    return add_bytes(c, size_bytes, ROLE_NOTES, pointer);
}

enum status case_expect(struct bench_case *c, enum element element, int64_t count,
                        const void *buffer, element_values expected, double scale, double tolerance,
                        struct check *check)
{
    struct pass pass = {.c = c,
                        .elements = (char *)buffer,
                        .element = element,
                        .count = count,
                        .values = expected,
                        .scale = scale,
                        .tolerance = tolerance};
    int64_t wrong = -1;
    check->tolerance = tolerance;
    TRY(run_pass(&pass, compare_part, check, &wrong));
    if (wrong < 0)
        return STATUS_OK;
    double want, got;
    char raw[sizeof(double)];
    size_t size = element_bytes(element);
    expected(c->state, wrong, 1, &want);
    TRY(device_download(c->device, raw, (const char *)buffer + (size_t)wrong * size, size));
    element_decode(element, raw, 1, &got);
    return FAIL(STATUS_WRONG_ANSWER, "%s: element %lld is %.9g, not %.9g (tolerance %.2g)",
                c->kernel->name, (long long)wrong, got, want, tolerance);
}

enum status case_poison_outputs(struct bench_case *c)
{
    for (const struct buffer_list *b = c->buffers; b; b = b->next)
        if (b->role == ROLE_OUTPUT)
            TRY(fill(c, b, NULL));
    return STATUS_OK;
}

size_t case_buffer_bytes(const struct bench_case *c)
{
    size_t sum = 0;
    for (const struct buffer_list *b = c->buffers; b; b = b->next)
        sum += b->memory_bytes;
    return sum;
}

size_t case_working_bytes(const struct bench_case *c)
{
    size_t sum = 0;
    for (const struct buffer_list *b = c->buffers; b; b = b->next)
        if (b->role == ROLE_INPUT || b->role == ROLE_OUTPUT)
            sum += (size_t)b->count * element_bytes(b->element);
    return sum;
}

bool case_huge_refused(struct bench_case *c)
{
    static const double ENOUGH = 0.9;
    for (const struct buffer_list *b = c->buffers; b; b = b->next) {
        if (b->role == ROLE_NOTES)
            continue;
        double huge = device_huge_fraction(c->device, b->memory, b->memory_bytes);
        if (huge >= 0 && huge < ENOUGH)
            return true;
    }
    return false;
}

void case_free_buffers(struct bench_case *c)
{
    while (c->buffers) {
        struct buffer_list *b = c->buffers;
        c->buffers = b->next;
        if (b->role == ROLE_NOTES)
            free(b->memory);
        else
            device_free(c->device, b->memory, b->memory_bytes);
        free(b);
    }
}
