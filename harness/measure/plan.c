#include "harness/measure/plan.h"

#include "harness/base/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_clear(struct plan *plan)
{
    free(plan->cases);
    *plan = (struct plan){0};
}

static enum status append(struct plan *plan, const struct planned_case *planned)
{
    if (plan->count == plan->room) {
        size_t room = plan->room ? 2 * plan->room : 64;
        struct planned_case *grown = realloc(plan->cases, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for a plan of %zu cases", room);
        plan->cases = grown;
        plan->room = room;
    }
    plan->cases[plan->count++] = *planned;
    return STATUS_OK;
}

static int axis_count(const struct bench *bench)
{
    int count = 0;
    while (count < BENCH_MAX_AXES && bench->axes[count].name)
        count++;
    return count;
}

static enum status refuse_unknown_axis(const struct bench *bench, const char *setting)
{
    char known[256] = "";
    size_t length = strcspn(setting, "=");
    if (setting[length] != '=')
        return FAIL(STATUS_BAD_ARGUMENT, "'%s' is no setting; write axis=value,value", setting);
    for (int i = 0; i < axis_count(bench); i++) {
        const char *name = bench->axes[i].name;
        if (strlen(name) == length && strncmp(name, setting, length) == 0)
            return STATUS_OK;
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", name);
    }
    return FAIL(STATUS_BAD_ARGUMENT, "%s has no axis '%.*s'; it has: %s", bench->name, (int)length,
                setting, known);
}

static enum status choose_values(const struct bench *bench, const struct axis *axis,
                                 const char *const *settings, const struct axis_context *context,
                                 struct axis_values *values)
{
    const char *text = axis->values;
    size_t length = strlen(axis->name);
    for (const char *const *s = settings; s && *s; s++) {
        TRY(refuse_unknown_axis(bench, *s));
        if (strncmp(*s, axis->name, length) == 0 && (*s)[length] == '=')
            text = *s + length + 1;
    }
    return axis_parse(axis, context, text, values);
}

/* Counts through all combinations like an odometer; false when it has gone round. */
static bool next_combination(const struct axis_values *values, int count, size_t *digit)
{
    for (int i = count; i-- > 0;) {
        if (++digit[i] < values[i].count)
            return true;
        digit[i] = 0;
    }
    return false;
}

enum status plan_state(const struct planned_case *planned, void **state)
{
    const struct bench *bench = planned->bench;
    *state = calloc(1, bench->state_bytes);
    if (!*state)
        return FAIL(STATUS_NO_MEMORY, "no memory for the state of %s", bench->name);
    for (int i = 0; i < axis_count(bench); i++)
        memcpy((char *)*state + bench->axes[i].offset, &planned->value[i],
               sizeof(planned->value[i]));
    return STATUS_OK;
}

/* A case that does not fit would be killed by the system half-way: refuse it before it starts. */
static enum status refuse_too_large(const struct bench *bench, const void *state,
                                    const struct device_info *info)
{
    static const double USABLE_SHARE = 0.9;
    double needed = bench->buffer_bytes(state, info), free_bytes = (double)info->memory_bytes;
    char need[32], have[32];
    if (needed <= USABLE_SHARE * free_bytes)
        return STATUS_OK;
    return FAIL(STATUS_BAD_ARGUMENT,
                "a case needs %s of buffers, and of %s free memory at most 90 %% are used; give "
                "smaller sizes",
                format_bytes(needed, need, sizeof(need)),
                format_bytes(free_bytes, have, sizeof(have)));
}

static enum status admit(const struct planned_case *planned, const struct device_info *info,
                         char lacking[PLAN_LACKING_BYTES])
{
    void *state;
    const struct bench *bench = planned->bench;
    TRY(plan_state(planned, &state));
    enum status status = bench->admit(state, info);
    if (status == STATUS_OK && bench->supports) {
        status = bench->supports(state, planned->kernel);
        if (status == STATUS_SKIP)
            snprintf(lacking, PLAN_LACKING_BYTES, "%s", error_message());
    }
    if (status == STATUS_OK)
        status = refuse_too_large(bench, state, info);
    free(state);
    return status;
}

enum status plan_refuse_empty(const struct plan *plan, const struct bench *bench)
{
    if (plan->count)
        return STATUS_OK;
    if (plan->lacking[0])
        return FAIL(STATUS_SKIP, "%s", plan->lacking);
    return FAIL(STATUS_BAD_ARGUMENT, "no combination of these values is a case of %s", bench->name);
}

/* Rungs first .. first + count - 1 of a ladder, of which each combination is measured on all, or
 * on the last of our own that can do it. */
struct rungs {
    kernel_ladder first;
    size_t count;
    bool only_best;
};

static enum status add_combination(struct plan *plan, struct planned_case planned,
                                   const struct rungs *rungs, const struct plan_context *context)
{
    for (size_t i = 0; i < rungs->count; i++) {
        planned.kernel = rungs->first[rungs->only_best ? rungs->count - 1 - i : i];
        if (rungs->only_best && planned.kernel->is_peer)
            continue;
        enum status admitted = admit(&planned, device_info(context->device), plan->lacking);
        if (admitted == STATUS_SKIP)
            continue;
        TRY(admitted);
        struct record identity = {0};
        plan_identity(&planned, context, &identity);
        memcpy(planned.case_id, identity.case_id, sizeof(planned.case_id));
        TRY(append(plan, &planned));
        if (rungs->only_best)
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status add_combinations(struct plan *plan, struct planned_case planned,
                                    const struct axis_values *values, const struct rungs *rungs,
                                    const struct plan_context *context)
{
    size_t digit[BENCH_MAX_AXES] = {0};
    int axes = axis_count(planned.bench);
    do {
        for (int i = 0; i < axes; i++)
            planned.value[i] = values[i].value[digit[i]];
        TRY(add_combination(plan, planned, rungs, context));
    } while (next_combination(values, axes, digit));
    return STATUS_OK;
}

static enum status find_rungs(const struct bench *bench, const char *name,
                              const struct plan_context *context, struct rungs *found)
{
    kernel_ladder ladder = device_kernels(context->device, bench->family);
    char known[256] = "";
    size_t count = 0;
    if (!ladder)
        return FAIL(STATUS_SKIP, "%s has no kernels for device %s", bench->name,
                    device_info(context->device)->name);
    for (; ladder[count]; count++) {
        if (name && strcmp(ladder[count]->name, name) == 0) {
            *found = (struct rungs){.first = ladder + count, .count = 1};
            return STATUS_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s, ", ladder[count]->name);
    }
    if (name && strcmp(name, "all") != 0)
        return FAIL(STATUS_BAD_ARGUMENT, "%s has no kernel '%s' here; it has: %sall", bench->name,
                    name, known);
    *found = (struct rungs){.first = ladder, .count = count, .only_best = !name};
    return STATUS_OK;
}

static enum status add_marked(struct plan *plan, const struct bench *bench, const char *kernel_name,
                              const char *const *settings, const struct plan_context *context,
                              const char *beside)
{
    const struct device_info *info = device_info(context->device);
    struct axis_context words = {.levels = &info->levels, .thread_count = info->thread_count};
    struct axis_values values[BENCH_MAX_AXES];
    for (int i = 0; i < axis_count(bench); i++)
        TRY(choose_values(bench, &bench->axes[i], settings, &words, &values[i]));
    struct rungs rungs = {0};
    TRY(find_rungs(bench, kernel_name, context, &rungs));
    struct planned_case planned = {.bench = bench, .beside = beside};
    planned.rounds = (UINT64_C(1) << context->policy->rounds) - 1;
    return add_combinations(plan, planned, values, &rungs, context);
}

enum status plan_add(struct plan *plan, const struct bench *bench, const char *kernel_name,
                     const char *const *settings, const struct plan_context *context)
{
    return add_marked(plan, bench, kernel_name, settings, context, NULL);
}

enum status plan_add_controls(struct plan *plan, const struct control *controls,
                              const struct bench *bench, const struct plan_context *context)
{
    for (const struct control *c = controls; c->bench; c++)
        TRY(add_marked(plan, c->bench, NULL, c->settings, context, bench->name));
    return STATUS_OK;
}

int64_t plan_axis(const struct planned_case *planned, const char *name, int64_t otherwise)
{
    for (int i = 0; i < axis_count(planned->bench); i++)
        if (strcmp(planned->bench->axes[i].name, name) == 0)
            return planned->value[i];
    return otherwise;
}

static void write_params(const struct planned_case *planned, const struct plan_context *context,
                         char *text, size_t size)
{
    size_t used = 0;
    const char *comma = "{";
    char number[32];
    for (int i = 0; i < axis_count(planned->bench); i++, comma = ",") {
        const struct axis *axis = &planned->bench->axes[i];
        const char *label = axis_label(axis, planned->value[i], number, sizeof(number));
        const bool is_text = axis->kind == AXIS_CHOICE || axis->kind == AXIS_SHAPE;
        const char *quote = is_text ? "\"" : "";
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\":%s%s%s", comma, axis->name,
                                 quote, label, quote);
    }
    if (context->isa_forced)
        used += (size_t)snprintf(text + used, size - used, ",\"isa\":\"%s\"",
                                 device_info(context->device)->isa);
    if (planned->beside)
        used += (size_t)snprintf(text + used, size - used, ",\"beside\":\"%s\"", planned->beside);
    snprintf(text + used, size - used, "}");
}

/* Whatever changes what a number means: the counting rule, how long and on what it is sampled. */
static void write_method(const struct planned_case *planned, const struct plan_context *context,
                         char *text, size_t size)
{
    const struct policy *policy = context->policy;
    char rule[200];
    snprintf(rule, sizeof(rule),
             "v%d %g s, %d rounds, samples %d..%d..%d of %g s or %g ticks to %g, %s pages, %s fill",
             planned->bench->method_version, policy->case_seconds, policy->rounds,
             policy->fewest_samples, policy->wanted_samples, policy->most_samples,
             policy->sample_seconds, policy->clock_ticks, policy->target_half_width,
             context->pages == PAGES_HUGE ? "huge" : "small",
             context->constant_fill ? "zero" : "random");
    uint64_t hash = record_hash(RECORD_HASH_SEED, planned->bench->counting);
    snprintf(text, size, "%016" PRIx64, record_hash(hash, rule));
}

/* What the values of axis dtype are summed in: in themselves, unless the bench says otherwise. */
static const char *accumulator_of(const struct planned_case *planned, const char *dtype)
{
    const int64_t choice = plan_axis(planned, "dtype", -1);
    const char *const *accumulators = planned->bench->accumulators;
    return accumulators && choice >= 0 ? accumulators[choice] : dtype;
}

static const char *label_of(const struct planned_case *planned, const char *name)
{
    for (int i = 0; i < axis_count(planned->bench); i++)
        if (strcmp(planned->bench->axes[i].name, name) == 0)
            return planned->bench->axes[i].choices[planned->value[i]];
    return "";
}

void plan_identity(const struct planned_case *planned, const struct plan_context *context,
                   struct record *record)
{
    snprintf(record->bench, sizeof(record->bench), "%s", planned->bench->name);
    snprintf(record->variant, sizeof(record->variant), "%s", planned->kernel->name);
    snprintf(record->device, sizeof(record->device), "%s", device_info(context->device)->name);
    snprintf(record->dtype, sizeof(record->dtype), "%s", label_of(planned, "dtype"));
    snprintf(record->accumulator, sizeof(record->accumulator), "%s",
             accumulator_of(planned, record->dtype));
    write_params(planned, context, record->params, sizeof(record->params));
    write_method(planned, context, record->method, sizeof(record->method));
    snprintf(record->store_kind, sizeof(record->store_kind), "%s", label_of(planned, "store"));
    record->threads = (int32_t)plan_axis(planned, "threads", 1);
    record_identify(record);
}
