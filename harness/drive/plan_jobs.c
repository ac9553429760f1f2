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

/* What is being planned, and for which device. */
struct planner {
    const struct suite *suite;
    const char *const *arguments;
    char device[DEVICES_NAME_BYTES]; /* "": as the arguments say */
    struct jobs *jobs;
    char said[400]; /* why the last line was left out: said once, however many lines follow */
};

static enum status job_for(struct jobs *jobs, const char *bench, const char *device,
                           struct job **job, bool *is_new)
{
    char folder[4000];
    for (size_t i = 0; i < jobs->count; i++)
        if (strcmp(jobs->jobs[i].bench, bench) == 0 && strcmp(jobs->jobs[i].device, device) == 0) {
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
    snprintf((*job)->device, sizeof((*job)->device), "%s", device);
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
    for (const char *const *a = arguments; *a && count < MOST_ARGUMENTS - 3; a++)
        argv[count++] = *a;
    if (job->device[0]) {
        argv[count++] = "--device";
        argv[count++] = job->device;
    }
    char *list;
    TRY(child_ask(argv, &list));
    enum status status = take_list(job, list);
    free(list);
    return status;
}

/* A GPU that cannot be opened must not cost the other devices their sweep. */
static bool is_left_out(const struct planner *planner, enum status status)
{
    return status == STATUS_SKIP ||
           (status == STATUS_CHILD && record_device_is_gpu(planner->device));
}

static enum status plan_line(struct planner *planner, const struct suite_line *line)
{
    struct job *job = NULL;
    bool is_new = false;
    TRY(job_for(planner->jobs, line->bench, planner->device, &job, &is_new));
    enum status status = ask_line(job, line, is_new, planner->arguments);
    if (!is_left_out(planner, status))
        return status;
    if (strcmp(planner->said, error_message()) != 0)
        fprintf(stderr, "ridge: left out: %s\n", error_message());
    snprintf(planner->said, sizeof(planner->said), "%s", error_message());
    return STATUS_OK;
}

static enum status plan_lines(struct planner *planner)
{
    const struct suite *suite = planner->suite;
    for (size_t i = 0; i < suite->lines_count; i++) {
        enum status status = plan_line(planner, &suite->lines[i]);
        if (status != STATUS_OK)
            return FAIL(status, "%s:%d: %s", suite->path, suite->lines[i].number, error_message());
    }
    return STATUS_OK;
}

static const char *asked_devices(const char *const *arguments)
{
    const char *list = "";
    for (const char *const *a = arguments; *a; a++)
        if (strcmp(*a, "--device") == 0 && a[1])
            list = a[1];
    return list;
}

static enum status plan_devices(struct planner *planner)
{
    const struct suite *suite = planner->suite;
    const char *rest = devices_next(asked_devices(planner->arguments), planner->device);
    int devices = 0;
    do {
        TRY(plan_lines(planner));
        devices++;
    } while (rest && (rest = devices_next(rest, planner->device)));
    const size_t cases = plan_jobs_cases(planner->jobs);
    const size_t most = (size_t)devices * (size_t)suite->most_points;
    if (!cases)
        return FAIL(STATUS_SKIP, "%s: nothing of it can be measured here: %s", suite->path,
                    planner->said);
    if (most && cases > most)
        return FAIL(STATUS_BAD_ARGUMENT, "%s: %zu points, over its own limit of %d%s", suite->path,
                    cases, suite->most_points, devices > 1 ? " for each device" : "");
    return STATUS_OK;
}

enum status plan_jobs(const struct suite *suite, const char *const *arguments, struct jobs *jobs)
{
    struct planner planner = {.suite = suite, .arguments = arguments, .jobs = jobs};
    *jobs = (struct jobs){0};
    enum status status = plan_devices(&planner);
    if (status != STATUS_OK)
        plan_jobs_clear(jobs);
    return status;
}
