/* The plan of a child: which cases of which bench, in which rounds. */
#pragma once

#include "harness/measure/bench.h"
#include "harness/measure/policy.h"
#include "harness/record/record.h"

enum { PLAN_MAX_ROUNDS = 64, PLAN_MAX_SETTINGS = 32, PLAN_LACKING_BYTES = 200 };

/* A control is a case of another bench with fixed settings that every child measures in every
 * round, one for memory and one for arithmetic: it shows the machine's drift, so that what was
 * measured in different children and minutes can be compared. */
struct control {
    const struct bench *bench;
    const char *settings[BENCH_MAX_AXES + 1]; /* "axis=value", NULL-terminated */
};

struct planned_case {
    const struct bench *bench;
    const struct kernel *kernel;
    const char *beside; /* of a control: the bench that it accompanies; else NULL */
    int64_t value[BENCH_MAX_AXES];
    uint64_t rounds; /* bit r: measure round r */
    char case_id[CASE_ID_BYTES];
};

struct plan {
    struct planned_case *cases; /* owned */
    size_t count, room;
    char lacking[PLAN_LACKING_BYTES]; /* why the machine can not do what was left out last; "" */
};

/* What of a plan's identity the command line decides. */
struct plan_context {
    struct device *device;
    const struct policy *policy;
    enum pages pages;
    bool constant_fill;
    bool isa_forced; /* --isa was given: then the set is part of the case's identity */
};

void plan_clear(struct plan *plan);

/* All combinations of the bench's axes (settings "axis=values" replace the bench's own values; the
 * last one given for an axis counts) that apply, on the kernel named, or on the last rung of the
 * ladder when it is NULL, or on all of them when it is "all". Unknown axes, values and kernels are
 * STATUS_BAD_ARGUMENT; a device without kernels for the bench is STATUS_SKIP. */
enum status plan_add(struct plan *plan, const struct bench *bench, const char *kernel_name,
                     const char *const *settings, const struct plan_context *context);

/* Is there anything to do? Else STATUS_SKIP where the machine lacks what was asked for, and
 * STATUS_BAD_ARGUMENT where the values do not go together. */
enum status plan_refuse_empty(const struct plan *plan, const struct bench *bench);

/* The controls, marked as accompanying `bench`. */
enum status plan_add_controls(struct plan *plan, const struct control *controls,
                              const struct bench *bench, const struct plan_context *context);

/* Fills the identity fields of a record and its case id: bench, kernel, device, dtype, params,
 * method, and what follows from the axes named dtype, threads and store. */
void plan_identity(const struct planned_case *planned, const struct plan_context *context,
                   struct record *record);

/* Allocates the bench's state with the axes set; the caller frees it. */
enum status plan_state(const struct planned_case *planned, void **state);

/* Value of the axis of that name, or `otherwise` where the bench has none. */
int64_t plan_axis(const struct planned_case *planned, const char *name, int64_t otherwise);
