/* A bench that fails on purpose, in every way that the harness must survive.
 *
 * Varies   the fault, the round in which it strikes, and a number that makes healthy twins.
 * Times    nothing of interest: an addition per unit.
 * Counts   8 bytes and one operation per unit.
 * Checks   its sum; the fault `wrong` says that it is wrong.
 * Ceiling  none: its points stand in no result, and it is never installed.
 */
#include "harness/measure/bench.h"
#include "tests/harness/faults.h"

enum { UNITS = 1 << 16, UNITS_PER_ROUND = 7919 }; /* the runner's step from round to round */

static double sum_of(int64_t count)
{
    return (double)count;
}

static enum status admit(const void *state, const struct device_info *info)
{
    (void)state;
    (void)info;
    return STATUS_OK;
}

static double buffer_bytes(const void *state, const struct device_info *info)
{
    (void)state;
    (void)info;
    return sizeof(double);
}

/* The runner does not say which round it is, but checks another unit in each. */
static bool strikes_now(const struct bench_case *c)
{
    const struct misbehave *s = c->state;
    const int64_t always = 4;
    return s->strikes == always || c->checked_unit / UNITS_PER_ROUND == s->strikes;
}

static enum status setup(struct bench_case *c)
{
    struct misbehave *s = c->state;
    if (s->fault == FAULT_skip)
        return FAIL(STATUS_SKIP, "this bench skips when it is asked to");
    return case_output(c, ELEMENT_F64, 1, &s->sum);
}

static enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    struct misbehave *s = c->state;
    (void)first_unit;
    *s->sum = 0;
    for (int64_t i = 0; i < unit_count; i++)
        *(volatile double *)s->sum += 1;
    if (strikes_now(c) && unit_count == 1)
        fault_strike(c);
    return STATUS_OK;
}

static void expected(const void *state, int64_t first, int64_t count, double *out)
{
    (void)state;
    (void)first;
    (void)count;
    out[0] = sum_of(1);
}

static enum status check(struct bench_case *c, struct check *check)
{
    const struct misbehave *s = c->state;
    if (s->fault == FAULT_wrong && strikes_now(c))
        *s->sum = -1;
    return case_expect(c, ELEMENT_F64, 1, s->sum, expected, 1, 0, check);
}

static struct work work(const void *state)
{
    (void)state;
    return (struct work){.bytes = 8.0 * UNITS, .bus_bytes = 8.0 * UNITS, .operations = UNITS};
}

static int64_t units(const void *state)
{
    (void)state;
    return UNITS;
}

static const char *const round_names[] = {"0", "1", "2", "3", "always", NULL};

const struct bench bench_misbehave = {
    .name = "bench_misbehave",
    .question = "Does the harness survive a bench that fails?",
    .counting = "bytes: 8 per unit; operations: 1 per unit",
    .family = FAMILY_STREAM,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct misbehave, fault, fault_names, "none", "what goes wrong"),
            AXIS_NAMES(struct misbehave, strikes, round_names, "0", "the round in which it does"),
            AXIS(struct misbehave, twin, AXIS_COUNT, "1", "a number that means nothing"),
        },
    .caches = CACHES_WARM,
    .state_bytes = sizeof(struct misbehave),
    .admit = admit,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
    .units = units,
};
