#include "harness/measure/cases_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* "axis=value" for each parameter; those that are no axis (isa, beside) are left out. */
struct settings {
    char text[BENCH_MAX_AXES][96];
    const char *list[BENCH_MAX_AXES + 1];
};

static void add_setting(struct settings *s, int index, const char *name, const json_t *value)
{
    if (json_is_string(value))
        snprintf(s->text[index], sizeof(s->text[index]), "%s=%s", name, json_string_value(value));
    else
        snprintf(s->text[index], sizeof(s->text[index]), "%s=%lld", name,
                 (long long)json_integer_value(value));
    s->list[index] = s->text[index];
}

static enum status read_settings(const struct bench *bench, const json_t *params,
                                 struct settings *settings)
{
    for (int i = 0; i < BENCH_MAX_AXES && bench->axes[i].name; i++) {
        const json_t *value = json_object_get(params, bench->axes[i].name);
        if (!json_is_string(value) && !json_is_integer(value))
            return FAIL(STATUS_BAD_ARGUMENT, "params lack axis '%s'", bench->axes[i].name);
        add_setting(settings, i, bench->axes[i].name, value);
    }
    return STATUS_OK;
}

static enum status read_rounds(const json_t *array, uint64_t *rounds)
{
    if (!array)
        return STATUS_OK;
    *rounds = 0;
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item)
    {
        json_int_t round = json_is_integer(item) ? json_integer_value(item) : -1;
        if (round < 0 || round >= PLAN_MAX_ROUNDS)
            return FAIL(STATUS_BAD_ARGUMENT, "rounds must be numbers from 0 to %d",
                        PLAN_MAX_ROUNDS - 1);
        *rounds |= UINT64_C(1) << round;
    }
    return STATUS_OK;
}

static enum status find_bench(const char *name, const struct bench *bench,
                              const struct control *controls, const struct bench **found)
{
    *found = strcmp(bench->name, name) == 0 ? bench : NULL;
    for (; !*found && controls->bench; controls++)
        if (strcmp(controls->bench->name, name) == 0)
            *found = controls->bench;
    return *found ? STATUS_OK : FAIL(STATUS_BAD_ARGUMENT, "no bench '%s' in this program", name);
}

static enum status read_case(const json_t *line, const struct bench *bench,
                             const struct control *controls, const struct plan_context *context,
                             struct plan *plan)
{
    const char *name = json_string_value(json_object_get(line, "bench"));
    const char *kernel = json_string_value(json_object_get(line, "variant"));
    const json_t *params = json_object_get(line, "params");
    if (!name || !kernel || !json_is_object(params))
        return FAIL(STATUS_BAD_ARGUMENT, "a case needs bench, variant and params");
    const struct bench *found;
    TRY(find_bench(name, bench, controls, &found));
    struct settings settings = {0};
    TRY(read_settings(found, params, &settings));
    size_t before = plan->count;
    if (json_object_get(params, "beside")) {
        struct control one[2] = {{.bench = found}};
        memcpy(one[0].settings, settings.list, sizeof(one[0].settings));
        TRY(plan_add_controls(plan, one, bench, context));
    } else {
        TRY(plan_add(plan, found, kernel, settings.list, context));
    }
    for (size_t i = before; i < plan->count; i++)
        TRY(read_rounds(json_object_get(line, "rounds"), &plan->cases[i].rounds));
    return STATUS_OK;
}

static enum status read_line(const char *text, const struct bench *bench,
                             const struct control *controls, const struct plan_context *context,
                             struct plan *plan)
{
    json_error_t error;
    json_t *line = json_loads(text, 0, &error);
    if (!line)
        return FAIL(STATUS_BAD_ARGUMENT, "no JSON: %s", error.text);
    enum status status = read_case(line, bench, controls, context, plan);
    json_decref(line);
    return status;
}

enum status cases_file_read(const char *path, const struct bench *bench,
                            const struct control *controls, const struct plan_context *context,
                            struct plan *plan)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return FAIL(STATUS_BAD_ARGUMENT, "cannot read %s: %s", path, strerror(errno));
    char *text = NULL;
    size_t room = 0;
    enum status status = STATUS_OK;
    for (int number = 1; status == STATUS_OK && getline(&text, &room, file) > 0; number++) {
        status = read_line(text, bench, controls, context, plan);
        if (status != STATUS_OK)
            status = FAIL(status, "%s:%d: %s", path, number, error_message());
    }
    free(text);
    fclose(file);
    return status;
}

void cases_file_list(const struct plan *plan, const struct plan_context *context, FILE *file)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct record identity = {0};
        plan_identity(&plan->cases[i], context, &identity);
        fprintf(file, "%s %s %s %s\n", identity.case_id, identity.bench, identity.variant,
                identity.params);
    }
}

enum status cases_file_list_records(const struct plan *plan, const struct plan_context *context,
                                    FILE *file)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct record identity = {.rounds_planned = context->policy->rounds};
        char *line;
        plan_identity(&plan->cases[i], context, &identity);
        TRY(record_to_json(&identity, &line));
        fprintf(file, "%s\n", line);
        free(line);
    }
    return STATUS_OK;
}
