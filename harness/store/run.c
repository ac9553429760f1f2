#include "harness/store/run.h"

#include <stdlib.h>
#include <string.h>

void run_forget_fit(struct run *run)
{
    free(run->ceilings);
    free(run->residuals);
    run->ceilings = NULL;
    run->residuals = NULL;
    run->ceilings_count = run->residuals_count = 0;
}

void run_clear(struct run *run)
{
    run_forget_fit(run);
    for (size_t i = 0; i < run->points_count; i++)
        record_clear(&run->points[i]);
    for (size_t i = 0; i < run->logs_count; i++)
        free(run->logs[i].text);
    free(run->meta_json);
    free(run->machine_json);
    free(run->topology_xml);
    free(run->points);
    free(run->logs);
    *run = (struct run){0};
}

struct record *run_find(const struct run *run, const char *case_id)
{
    for (size_t i = 0; i < run->points_count; i++)
        if (strcmp(run->points[i].case_id, case_id) == 0)
            return &run->points[i];
    return NULL;
}

static enum status add_point(struct run *run, const struct record *slice)
{
    if (run->points_count == run->points_room) {
        size_t room = run->points_room ? 2 * run->points_room : 64;
        struct record *grown = realloc(run->points, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu points", room);
        run->points = grown;
        run->points_room = room;
    }
    struct record *point = &run->points[run->points_count];
    enum status status = record_copy(point, slice);
    if (status != STATUS_OK) {
        record_clear(point);
        return status;
    }
    run->points_count++;
    return STATUS_OK;
}

/* A case that was lost (a crash, a time limit) is a mere name: neither its work was counted nor
 * its placement seen. Measured after all, it is as good as any. */
static bool is_loss(const struct record *point)
{
    return point->samples_count == 0 &&
           (point->status == RECORD_failed || point->status == RECORD_timeout);
}

static enum status replace_point(struct record *point, const struct record *slice)
{
    struct record copy;
    enum status status = record_copy(&copy, slice);
    if (status != STATUS_OK) {
        record_clear(&copy);
        return status;
    }
    record_clear(point);
    *point = copy;
    return STATUS_OK;
}

enum status run_add_slice(struct run *run, const struct record *slice)
{
    struct record *point = run_find(run, slice->case_id);
    if (!point)
        return add_point(run, slice);
    if (is_loss(point))
        return replace_point(point, slice);
    struct record before = *point;
    enum status status = record_merge(point, slice);
    if (status != STATUS_OK) { /* the samples may have moved, but the old ones lie in front */
        before.samples = point->samples;
        before.samples_room = point->samples_room;
        *point = before;
    }
    return status;
}

static enum status append_text(struct run_log *log, const char *text)
{
    size_t length = strlen(log->text), more = strlen(text);
    char *grown = realloc(log->text, length + more + 1);
    if (!grown)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu bytes of the log %s", more, log->name);
    memcpy(grown + length, text, more + 1);
    log->text = grown;
    return STATUS_OK;
}

/* The name becomes the name of a dataset, which ends at a slash. */
static enum status check_name(const char *name)
{
    bool fits = name[0] && strlen(name) < sizeof(((struct run_log *)0)->name);
    if (!fits || strchr(name, '/') || strcmp(name, ".") == 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "a log cannot be named \"%s\": 1 to %zu bytes without a slash are needed", name,
                    sizeof(((struct run_log *)0)->name) - 1);
    return STATUS_OK;
}

enum status run_add_log(struct run *run, const char *name, const char *text)
{
    TRY(check_name(name));
    for (size_t i = 0; i < run->logs_count; i++)
        if (strcmp(run->logs[i].name, name) == 0)
            return append_text(&run->logs[i], text);
    struct run_log *grown = realloc(run->logs, (run->logs_count + 1) * sizeof(*grown));
    if (!grown)
        return FAIL(STATUS_NO_MEMORY, "no memory for the log %s", name);
    run->logs = grown;
    struct run_log log = {.text = strdup(text)};
    if (!log.text)
        return FAIL(STATUS_NO_MEMORY, "no memory for the log %s", name);
    strcpy(log.name, name);
    run->logs[run->logs_count++] = log;
    return STATUS_OK;
}
