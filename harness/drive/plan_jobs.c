#include "harness/drive/plan_jobs.h"

#include "harness/drive/child.h"
#include "harness/drive/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 96 };

void plan_jobs_clear(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        job_clear(&jobs->jobs[i]);
    free(jobs->jobs);
    *jobs = (struct jobs){0};
}

size_t plan_jobs_cases(const struct jobs *jobs)
{
    size_t sum = 0;
    for (size_t i = 0; i < jobs->count; i++)
        sum += jobs->jobs[i].count;
    return sum;
}

size_t plan_jobs_missing(const struct jobs *jobs)
{
    size_t sum = 0;
    for (size_t i = 0; i < jobs->count; i++)
        sum += job_missing_slices(&jobs->jobs[i]);
    return sum;
}

void plan_jobs_subtract(struct jobs *jobs, const struct run *run)
{
    for (size_t i = 0; i < jobs->count; i++)
        for (size_t k = 0; k < jobs->jobs[i].count; k++) {
            struct job_case *c = &jobs->jobs[i].cases[k];
            const struct record *point = run_find(run, c->identity.case_id);
            if (!point)
                continue;
            for (int r = 0; r < c->identity.rounds_planned; r++)
                if (record_has_round(point, r))
                    c->missing &= ~(UINT64_C(1) << r);
            if (point->status == RECORD_skipped || point->status == RECORD_wrong)
                c->missing = 0; /* another try would say the same */
        }
}

static enum status job_for(struct jobs *jobs, const char *bench, struct job **job, bool *is_new)
{
    char folder[4000];
    for (size_t i = 0; i < jobs->count; i++)
        if (strcmp(jobs->jobs[i].bench, bench) == 0) {
            *job = &jobs->jobs[i];
            *is_new = false;
            return STATUS_OK;
        }
    struct job *grown = realloc(jobs->jobs, (jobs->count + 1) * sizeof(*grown));
    if (!grown)
        return FAIL(STATUS_NO_MEMORY, "no memory for a job");
    jobs->jobs = grown;
    *job = &jobs->jobs[jobs->count++];
    **job = (struct job){0};
    *is_new = true;
    snprintf((*job)->bench, sizeof((*job)->bench), "%s", bench);
    snprintf((*job)->program, sizeof((*job)->program), "%s/%.60s",
             places_programs(folder, sizeof(folder)), bench);
    return access((*job)->program, X_OK) == 0
               ? STATUS_OK
               : FAIL(STATUS_BAD_ARGUMENT, "no bench '%s' in %s; 'ridge list' shows them", bench,
                      folder);
}

static bool has_case(const struct job *job, const char *case_id)
{
    for (size_t i = 0; i < job->count; i++)
        if (strcmp(job->cases[i].identity.case_id, case_id) == 0)
            return true;
    return false;
}

/* One record without samples per line. */
static enum status take_list(struct job *job, const char *list)
{
    for (const char *line = list, *end; *line; line = end + 1) {
        struct record identity;
        end = strchr(line, '\n');
        if (!end)
            return FAIL(STATUS_CHILD, "%s --list was cut short", job->bench);
        TRY(record_from_json(line, (size_t)(end - line), &identity));
        if (identity.rounds_planned < 1 || identity.rounds_planned > 63)
            return FAIL(STATUS_CHILD, "%s plans %d rounds", job->bench, identity.rounds_planned);
        if (!has_case(job, identity.case_id))
            TRY(job_add_case(job, &identity));
    }
    return STATUS_OK;
}

static enum status ask_line(struct job *job, const struct suite_line *line, bool with_controls,
                            const char *const *arguments)
{
    const char *argv[MOST_ARGUMENTS] = {job->program, "--list", "--format", "jsonl"};
    size_t count = 4;
    if (with_controls)
        argv[count++] = "--controls";
    if (line->kernel) {
        argv[count++] = "--kernel";
        argv[count++] = line->kernel;
    }
    for (char *const *s = line->settings; *s; s++) {
        argv[count++] = "--set";
        argv[count++] = *s;
    }
    for (const char *const *a = arguments; *a && count < MOST_ARGUMENTS - 1; a++)
        argv[count++] = *a;
    char *list;
    TRY(child_ask(argv, &list));
    enum status status = take_list(job, list);
    free(list);
    return status;
}

static enum status plan_line(const struct suite_line *line, const char *const *arguments,
                             struct jobs *jobs)
{
    struct job *job;
    bool is_new;
    TRY(job_for(jobs, line->bench, &job, &is_new));
    enum status status = ask_line(job, line, is_new, arguments);
    if (status == STATUS_SKIP) {
        fprintf(stderr, "ridge: left out: %s\n", error_message());
        return STATUS_OK;
    }
    return status;
}

enum status plan_jobs(const struct suite *suite, const char *const *arguments, struct jobs *jobs)
{
    *jobs = (struct jobs){0};
    for (size_t i = 0; i < suite->lines_count; i++) {
        const struct suite_line *line = &suite->lines[i];
        enum status status = plan_line(line, arguments, jobs);
        if (status != STATUS_OK) {
            plan_jobs_clear(jobs);
            return FAIL(status, "%s:%d: %s", suite->path, line->number, error_message());
        }
    }
    size_t cases = plan_jobs_cases(jobs);
    if (!suite->most_points || cases <= (size_t)suite->most_points)
        return STATUS_OK;
    plan_jobs_clear(jobs);
    return FAIL(STATUS_BAD_ARGUMENT, "%s: %zu points, over its own limit of %d", suite->path, cases,
                suite->most_points);
}
