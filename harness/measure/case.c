#include "harness/measure/case.h"

#include "harness/measure/element.h"
#include "harness/measure/team.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements are made, moved and compared block by block: a cache's worth on the cpu, more where each
 * copy costs microseconds (device_info.staging_elements). */
enum { SPREAD = 16, MOST_BUFFERS = 8, SENTENCE_BYTES = 400 };

struct buffer_list {
    struct buffer_list *next;
    void *memory;   /* as the device gave it */
    void *elements; /* where the staggered array begins */
    size_t memory_bytes;
    enum element element;
    int64_t count;
    enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_WORKSPACE, ROLE_NOTES } role;
};

/* What a thread of the team needs for its part, and what came of it. */
struct share {
    double *values, *got; /* a block each; owned */
    char *raw;            /* a block as the device stores it; owned */
    double max_error;
    int64_t wrong; /* first wrong element, or -1 */
    enum status status;
    char sentence[SENTENCE_BYTES]; /* of its failure: errors stay on the thread that met them */
};

/* What the team does to a buffer. */
struct pass {
    struct bench_case *c;
    char *elements;
    enum element element;
    int64_t count, block;
    element_values values; /* NULL: zeros, or NaN for an output */
    bool is_output;
    double scale, tolerance; /* of a comparison */
    struct share *shares;    /* one per thread */
};

static int64_t part_begin(const struct pass *p, int thread, int threads)
{
    return team_part_begin(p->count, (int64_t)(64 / element_bytes(p->element)), thread, threads);
}

static enum status fill_block(const struct pass *p, struct share *share, int64_t first,
                              int64_t count)
{
    const size_t size = element_bytes(p->element);
    for (int64_t k = 0; k < count; k++)
        share->values[k] = p->is_output ? (double)NAN : 0;
    if (p->values)
        p->values(p->c->state, first, count, share->values);
    element_encode(p->element, share->values, count, share->raw);
    return device_upload(p->c->device, p->elements + (size_t)first * size, share->raw,
                         (size_t)count * size);
}

static enum status compare_block(const struct pass *p, struct share *share, int64_t first,
                                 int64_t count)
{
    const size_t size = element_bytes(p->element);
    TRY(device_download(p->c->device, share->raw, p->elements + (size_t)first * size,
                        (size_t)count * size));
    element_decode(p->element, share->raw, count, share->got);
    p->values(p->c->state, first, count, share->values);
    for (int64_t k = 0; k < count; k++) {
        double want = share->values[k];
        double error = fabs(share->got[k] - want) / fmax(p->scale, fabs(want));
        if (!(error <= p->tolerance) && share->wrong < 0) /* NaN is wrong, too */
            share->wrong = first + k;
        if (isfinite(error) && error > share->max_error) /* what is stored must be a number */
            share->max_error = error;
    }
    return STATUS_OK;
}

typedef enum status (*block_body)(const struct pass *p, struct share *share, int64_t first,
                                  int64_t count);

/* Blocks of a thread's part, every `step`-th and the last. */
static void walk_part(const struct pass *p, block_body body, int64_t step, int thread, int threads)
{
    struct share *share = &p->shares[thread];
    int64_t begin = part_begin(p, thread, threads), end = part_begin(p, thread + 1, threads);
    int64_t blocks = (end - begin + p->block - 1) / p->block;
    for (int64_t b = 0; b < blocks && share->status == STATUS_OK; b++) {
        int64_t first = begin + b * p->block;
        if (b % step == 0 || b == blocks - 1)
            share->status = body(p, share, first, end - first < p->block ? end - first : p->block);
    }
    if (share->status != STATUS_OK)
        snprintf(share->sentence, sizeof(share->sentence), "%s", error_message());
}

static void fill_part(void *arg, int thread, int threads)
{
    walk_part(arg, fill_block, 1, thread, threads);
}

static void compare_part(void *arg, int thread, int threads)
{
    const struct pass *p = arg;
    walk_part(p, compare_block, p->c->check_all ? 1 : SPREAD, thread, threads);
}

static enum status take_shares(struct pass *p, int threads)
{
    const size_t block_bytes = (size_t)p->block * sizeof(double);
    p->shares = calloc((size_t)threads, sizeof(*p->shares));
    bool is_enough = p->shares != NULL;
    for (int i = 0; is_enough && i < threads; i++) {
        struct share *share = &p->shares[i];
        share->wrong = -1;
        share->values = malloc(block_bytes);
        share->got = malloc(block_bytes);
        share->raw = malloc(block_bytes);
        is_enough = share->values && share->got && share->raw;
    }
    return is_enough ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for %d threads", threads);
}

static void free_shares(struct pass *p, int threads)
{
    for (int i = 0; p->shares && i < threads; i++) {
        free(p->shares[i].values);
        free(p->shares[i].got);
        free(p->shares[i].raw);
    }
    free(p->shares);
}

/* Runs a body on all threads of the team; the largest error, the first wrong element and the first
 * failure of all of them. */
static enum status run_pass(struct pass *p, team_body body, struct check *check, int64_t *wrong)
{
    struct team *team = device_team(p->c->device);
    const int threads = team_size(team);
    p->block = device_info(p->c->device)->staging_elements;
    enum status status = take_shares(p, threads);
    if (status == STATUS_OK)
        team_run(team, body, p);
    for (int i = 0; status == STATUS_OK && i < threads; i++) {
        const struct share *share = &p->shares[i];
        check->max_error = fmax(check->max_error, share->max_error);
        *wrong = *wrong < 0 ? share->wrong : *wrong;
        if (share->status != STATUS_OK)
            status = FAIL(share->status, "%s", share->sentence);
    }
    free_shares(p, threads);
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
    size_t offset = buffer_number(c) % MOST_BUFFERS * device_info(c->device)->stagger_bytes;
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
