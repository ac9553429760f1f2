/* A small bench that does right or wrong as it is told, and a runner's surroundings for it. */
#pragma once

#include "harness/measure/runner.h"
#include "tests/unit/fake_device.h"
#include "tests/unit/sentence.h"

#include <stdio.h>
#include <stdlib.h>

/* 100 blocks of a comparison, and one element; the runner checks unit round x 7919 mod UNITS. */
enum { COUNT = 100 * 1024 + 1, UNITS = 10000, ROUNDS = 3, MOST_TURNS = 64 };
enum { UNIT_OF_ROUND_1 = 7919, UNIT_OF_ROUND_2 = 2 * 7919 % UNITS };
enum { SELDOM_CHECKED = 17 * 1024 + 5 };

enum conduct {
    RIGHT,      /* writes what is expected */
    SILENT,     /* writes nothing at all */
    ONCE,       /* writes at its first run only */
    ONE_WRONG,  /* one element among 102401 */
    LAST_WRONG, /* the last element, in round 1 */
    LATE_WRONG, /* an element that only a full comparison sees, in round 2 */
    NO_MEMORY,  /* setup fails */
    NOT_HERE,   /* run says STATUS_SKIP */
};
static const char *const conduct_names[] = {"right",     "silent",     "once",
                                            "one_wrong", "last_wrong", "late_wrong",
                                            "no_memory", "not_here",   NULL};

struct trial {
    int64_t conduct, number; /* varied */
    double amplitude;
    float *out;
    bool has_written;
};

/* What the bench was asked for. A bench's functions are pure but for its state, which the runner
 * frees, so this stands here; every test begins with an empty one. */
static struct {
    int64_t turn[MOST_TURNS]; /* numbers of the cases, in order; repetitions left out */
    int turns, setups, runs;
    double amplitude;
} seen;

static inline void expected(const void *state, int64_t first, int64_t count, double *out)
{
    const struct trial *t = state;
    for (int64_t i = 0; i < count; i++)
        out[i] = 2 + t->amplitude * value_at(1, first + i);
}

static inline enum status admit(const void *state, const struct device_info *info)
{
    (void)state, (void)info;
    return STATUS_OK;
}

static inline double buffer_bytes(const void *state, const struct device_info *info)
{
    (void)state, (void)info;
    return COUNT * sizeof(float);
}

static inline enum status setup(struct bench_case *c)
{
    struct trial *t = c->state;
    seen.setups++;
    seen.amplitude = t->amplitude = c->amplitude;
    TRY(case_output(c, ELEMENT_F32, COUNT, &t->out));
    return t->conduct == NO_MEMORY ? FAIL(STATUS_NO_MEMORY, "no room for it") : STATUS_OK;
}

static inline void note_turn(int64_t number)
{
    seen.runs++;
    if (seen.turns == 0 || seen.turn[seen.turns - 1] != number)
        seen.turn[seen.turns++ % MOST_TURNS] = number;
}

static inline void write_answer(struct trial *t, int64_t unit)
{
    for (int64_t i = 0; i < COUNT; i++)
        t->out[i] = (float)(2 + t->amplitude * value_at(1, i));
    if (t->conduct == ONE_WRONG)
        t->out[SELDOM_CHECKED] += 0.5F;
    if (t->conduct == LAST_WRONG && unit == UNIT_OF_ROUND_1)
        t->out[COUNT - 1] += 0.5F;
    if (t->conduct == LATE_WRONG && unit == UNIT_OF_ROUND_2)
        t->out[SELDOM_CHECKED] += 0.5F;
}

static inline enum status run(struct bench_case *c, int64_t first_unit, int64_t unit_count)
{
    struct trial *t = c->state;
    (void)unit_count;
    note_turn(t->number);
    if (t->conduct == NOT_HERE)
        return FAIL(STATUS_SKIP, "not on this machine");
    if (t->conduct != SILENT && !(t->conduct == ONCE && t->has_written))
        write_answer(t, first_unit);
    t->has_written = true;
    return STATUS_OK;
}

static inline enum status check(struct bench_case *c, struct check *result)
{
    const struct trial *t = c->state;
    return case_expect(c, ELEMENT_F32, COUNT, t->out, expected, 1, 0, result);
}

static inline struct work work(const void *state)
{
    (void)state;
    return (struct work){.bytes = 12, .bus_bytes = 16, .link_bytes = 3, .operations = 5};
}

static inline int64_t units(const void *state)
{
    (void)state;
    return UNITS;
}

static const struct bench trial = {
    .name = "trial",
    .question = "Does the runner do its work?",
    .counting = "nothing",
    .family = FAMILY_STREAM,
    .method_version = 1,
    .axes =
        {
            AXIS_NAMES(struct trial, conduct, conduct_names, "right", "what it does"),
            AXIS(struct trial, number, AXIS_COUNT, "1", "tells cases apart"),
        },
    .state_bytes = sizeof(struct trial),
    .admit = admit,
    .buffer_bytes = buffer_bytes,
    .setup = setup,
    .run = run,
    .check = check,
    .work = work,
    .units = units,
};

static const struct policy short_policy = {
    .name = "short",
    .case_seconds = 0,
    .rounds = ROUNDS,
    .fewest_samples = 6,
    .wanted_samples = 6,
    .most_samples = 2,
    .sample_seconds = 1e-6,
    .clock_ticks = 1,
    .target_half_width = 0.01,
};

/* Everything that one run of the runner needs; the backend is this test's own copy. */
struct bed {
    struct backend backend;
    struct device *device;
    struct plan_context context;
    struct plan plan;
    struct runner_options options;
    struct emit emit;
    struct runner_result result;
    int watched;
};

static inline void count_watched(void *arg, const struct record *point)
{
    (void)point;
    ++*(int *)arg;
}

static inline int open_bed(void **state)
{
    struct bed *bed = calloc(1, sizeof(*bed));
    assert_non_null(bed);
    bed->device = fake_device_open("fake:1e-3");
    bed->backend = *bed->device->backend;
    bed->device->backend = &bed->backend;
    bed->context = (struct plan_context){.device = bed->device, .policy = &short_policy};
    bed->options = (struct runner_options){.policy = &short_policy, .run_id = "a run", .child = 4};
    bed->emit = (struct emit){.record_fd = -1, .ack_fd = -1};
    memset(&seen, 0, sizeof(seen));
    *state = bed;
    return 0;
}

static inline int close_bed(void **state)
{
    struct bed *bed = *state;
    runner_result_clear(&bed->result);
    plan_clear(&bed->plan);
    device_close(bed->device);
    free(bed);
    return 0;
}

static inline void plan_trial(struct bed *bed, const char *conduct, const char *number)
{
    const char *const settings[] = {conduct, number, NULL};
    assert_int_equal(plan_add(&bed->plan, &trial, NULL, settings, &bed->context), STATUS_OK);
}

static inline void run_plan(struct bed *bed)
{
    assert_int_equal(runner_run(&bed->plan, &bed->context, &bed->options, &bed->emit, count_watched,
                                &bed->watched, &bed->result),
                     STATUS_OK);
    assert_int_equal(bed->result.count, bed->plan.count);
}

/* Runs one case of that conduct, between two that are right; fails unless those stay right. */
static inline const struct record *run_between_right_ones(struct bed *bed, const char *conduct)
{
    plan_trial(bed, "conduct=right", "number=1");
    plan_trial(bed, conduct, "number=2");
    plan_trial(bed, "conduct=right", "number=3");
    run_plan(bed);
    for (int i = 0; i <= 2; i += 2) {
        assert_int_equal(bed->result.points[i].status, RECORD_ok);
        assert_int_equal(record_round_count(&bed->result.points[i]), ROUNDS);
    }
    assert_int_equal(bed->watched, 3);
    return &bed->result.points[1];
}

static inline void check_outcome(const struct record *point, enum record_status expected_status,
                                 const char *words)
{
    if (point->status != expected_status || !strstr(point->reason, words))
        fail_msg("%s, \"%s\"", record_status_name(point->status), point->reason);
}
