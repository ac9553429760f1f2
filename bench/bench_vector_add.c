/* Sustained bandwidth of streaming: c = a + b and its relatives.
 *
 * Varies   the operation, the element, how it is stored, the size of one array, the threads.
 * Times    passes over the arrays, back to back; warm, so a small array times the caches.
 * Counts   bytes as the program asks for them, each array once a pass; bus bytes with the line
 *          that a CPU's plain store reads before it overwrites it. An f32 add is 1 operation on 12
 *          bytes: intensity 1/12, whatever the machine.
 * Checks   every element once, then a sixteenth after each round; sums against double.
 * Ceiling  the bandwidth of the level that holds the arrays.
 */
#include "harness/measure/bench.h"
#include "harness/measure/team.h"
#include "kernels/stream/stream.h"

#include <math.h>

enum { STREAM_A = 1, STREAM_B = 2 };
static const double SCALAR = 3; /* a multiple of 2^-10 times 3 is exact even in f32 */

struct vector_add {
    int64_t op, dtype, store, array_bytes, threads; /* varied */
    double amplitude;
    bool is_gpu; /* no store reads its line first */
    struct stream_args args;
    double part_sum[DEVICE_MAX_CPUS]; /* of read: what each thread must find */
    bool sums_known;
};

static int64_t count_of(const struct vector_add *s)
{
    return s->array_bytes / (int64_t)element_bytes((enum element)s->dtype);
}

static void values_of_a(const void *state, int64_t first, int64_t count, double *out)
{
    const struct vector_add *s = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = s->amplitude * value_at(STREAM_A, first + i);
}

static void values_of_b(const void *state, int64_t first, int64_t count, double *out)
{
    const struct vector_add *s = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = s->amplitude * value_at(STREAM_B, first + i);
}

static double value_of_c(const struct vector_add *s, int64_t i)
{
    double a = s->amplitude * value_at(STREAM_A, i), b = s->amplitude * value_at(STREAM_B, i);
    switch (s->op) {
    case STREAM_READ: return s->part_sum[i];
    case STREAM_WRITE: return SCALAR;
    case STREAM_COPY: return a;
    case STREAM_SCALE: return SCALAR * a;
    case STREAM_ADD: return a + b;
    default: return a + SCALAR * b;
    }
}

static void values_of_c(const void *state, int64_t first, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = value_of_c(state, first + i);
}

static enum status admit(const void *state, const struct device_info *info)
{
    (void)info;
    const struct vector_add *s = state;
    int64_t size = (int64_t)element_bytes((enum element)s->dtype);
    if (s->array_bytes % size)
        return FAIL(STATUS_BAD_ARGUMENT, "array_bytes=%lld is no multiple of %lld, the size of %s",
                    (long long)s->array_bytes, (long long)size, element_names[s->dtype]);
    return stream_costs[s->op].writes == 0 && s->store == STREAM_NONTEMPORAL
               ? STATUS_SKIP /* nothing is stored */
               : STATUS_OK;
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    (void)info;
    const struct vector_add *s = state;
    const struct stream_cost *cost = &stream_costs[s->op];
    return (double)(cost->reads + cost->writes) * (double)s->array_bytes;
}

static enum status setup(struct bench_case *c)
{
    struct vector_add *s = c->state;
    const enum element element = (enum element)s->dtype;
    const struct stream_cost *cost = &stream_costs[s->op];
    s->amplitude = c->amplitude;
    s->is_gpu = device_info(c->device)->multiprocessors > 0;
    s->args = (struct stream_args){.op = (enum stream_op)s->op,
                                   .store = (enum stream_store)s->store,
                                   .type = (enum stream_type)s->dtype,
                                   .count = count_of(s),
                                   .scalar = SCALAR};
    if (cost->reads >= 1)
        TRY(case_input(c, element, s->args.count, values_of_a, &s->args.a));
    if (cost->reads >= 2)
        TRY(case_input(c, element, s->args.count, values_of_b, &s->args.b));
    return case_output(c, element, cost->writes ? s->args.count : s->threads, &s->args.c);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    const struct vector_add *s = c->state;
    return c->kernel->launch(c->device, &s->args, first_unit, unit_count);
}

static void sum_parts(struct vector_add *s)
{
    const int threads = (int)s->threads;
    const int64_t granule = stream_granule((enum stream_type)s->dtype);
    for (int t = 0; t < threads && !s->sums_known; t++) {
        int64_t end = team_part_begin(s->args.count, granule, t + 1, threads);
        s->part_sum[t] = 0;
        for (int64_t i = team_part_begin(s->args.count, granule, t, threads); i < end; i++)
            s->part_sum[t] += s->amplitude * value_at(STREAM_A, i);
    }
    s->sums_known = true;
}

/* Elements are exact by construction. Sums are exact while they stay below 2^14 in f32, and may
 * lose a few roundings beyond; they are judged against the root of how many were added. */
static enum status check(struct bench_case *c, struct check *check)
{
    struct vector_add *s = c->state;
    const enum element element = (enum element)s->dtype;
    if (s->op != STREAM_READ)
        return case_expect(c, element, s->args.count, s->args.c, values_of_c, 1, 0, check);
    sum_parts(s);
    const double scale = sqrt((double)s->args.count), tolerance = s->dtype == 0 ? 1e-5 : 1e-14;
    return case_expect(c, element, s->threads, s->args.c, values_of_c, scale, tolerance, check);
}

static struct work work(const void *state)
{
    const struct vector_add *s = state;
    const struct stream_cost *cost = &stream_costs[s->op];
    const double array_bytes = (double)s->array_bytes;
    const int allocates = !s->is_gpu && s->store == STREAM_PLAIN ? cost->writes : 0;
    return (struct work){
        .bytes = (cost->reads + cost->writes) * array_bytes,
        .bus_bytes = (cost->reads + cost->writes + allocates) * array_bytes,
        .operations = (double)cost->operations * (double)count_of(s),
    };
}

const struct bench bench_vector_add = {
    .name = "bench_vector_add",
    .question = "How many bytes per second move when almost nothing is computed?",
    .counting = "bytes: each array once per pass (STREAM's rule); bus bytes: one more array for a "
                "plain store (write-allocate); operations: per element read 1, write 0, copy 0, "
                "scale 1, add 1, triad 2",
    .family = FAMILY_STREAM,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct vector_add, op, stream_op_names, "add", "what is done per element"),
            AXIS_NAMES(struct vector_add, dtype, element_names, "f32", "the element"),
            AXIS_NAMES(struct vector_add, store, stream_store_names, "plain",
                       "stores through the caches, or past them"),
            AXIS(struct vector_add, array_bytes, AXIS_BYTES, "4Ki..4LLC*2", "size of one array"),
            AXIS(struct vector_add, threads, AXIS_THREADS, "1,all", "threads, pinned"),
        },
    .caches = CACHES_WARM,
    .state_bytes = sizeof(struct vector_add),
    .admit = admit,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
};
