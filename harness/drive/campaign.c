#include "harness/drive/campaign.h"

#include "harness/base/clock.h"
#include "harness/drive/devices.h"
#include "harness/drive/meta.h"
#include "harness/drive/places.h"
#include "harness/drive/plan_jobs.h"
#include "harness/machine/machine.h"
#include "harness/record/guards.h"
#include "harness/store/replace.h"
#include "harness/store/store.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double LEVELS_PROBE_SECONDS = 0.5;

struct campaign {
    const struct campaign_options *options;
    struct campaign_result *result;
    char journal_path[4096];
    double started_seconds;
    struct suite suite;
    struct child_arguments arguments;
    struct devices devices;
    struct jobs jobs;
    struct run run;
    struct journal *journal;
    struct progress progress;
    struct job_context jobs_context;
};

/* ---- A new run. */

/* As the suite's first bench sees them. Not asked where only the cpu or a fake is: a driver that
 * hangs must not keep the cpu from being measured. */
static void find_devices(const struct campaign *campaign, struct devices *devices)
{
    char folder[4000], program[4096];
    const char *asked = campaign->options->device;
    *devices = (struct devices){0};
    if (asked && !strstr(asked, "cuda"))
        return;
    snprintf(program, sizeof(program), "%s/%.60s", places_programs(folder, sizeof(folder)),
             campaign->suite.lines[0].bench);
    if (devices_ask(program, devices) != STATUS_OK) /* planning will say what is wrong */
        devices_clear(devices);
}

static void choose_arguments(struct campaign *campaign, const struct levels *levels,
                             const struct devices *devices)
{
    char text[160], found[160];
    const struct campaign_options *options = campaign->options;
    const struct suite *suite = &campaign->suite;
    struct child_arguments *arguments = &campaign->arguments;
    const char *device = options->device;
    if (!device) { /* all that can be used */
        devices_choose(devices, options->quiet, found, sizeof(found));
        device = found[0] ? found : NULL;
    }
    const struct {
        const char *option, *value;
    } given[] = {
        {"--policy", suite->policy}, {"--levels", levels_format(levels, text, sizeof(text))},
        {"--device", device},        {"--isa", options->isa},
        {"--pages", options->pages}, {"--blas", options->blas}};
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (given[i].value) {
            meta_add_argument(arguments, given[i].option);
            meta_add_argument(arguments, given[i].value);
        }
    if (suite->case_seconds > 0) {
        snprintf(text, sizeof(text), "%.9g", suite->case_seconds);
        meta_add_argument(arguments, "--seconds");
        meta_add_argument(arguments, text);
    }
    if (suite->rounds > 0) {
        snprintf(text, sizeof(text), "%d", suite->rounds);
        meta_add_argument(arguments, "--rounds");
        meta_add_argument(arguments, text);
    }
}

static void name_run(struct run *run)
{
    char host[24] = "";
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof(host) - 1);
    gmtime_r(&now, &utc);
    size_t used = strftime(run->run_id, sizeof(run->run_id), "%Y%m%dT%H%M%S-", &utc);
    snprintf(run->run_id + used, sizeof(run->run_id) - used, "%.12s-%d", host, (int)getpid());
}

static enum status refuse_existing(const struct campaign *campaign)
{
    const char *output = campaign->options->output;
    struct stat now;
    if (stat(output, &now) == 0 && S_ISDIR(now.st_mode))
        return FAIL(STATUS_BAD_ARGUMENT, "%s is a folder; give -o a file, as in -o %s/run.h5",
                    output, output);
    if (access(output, F_OK) == 0 || access(campaign->journal_path, F_OK) == 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "%s exists; continue it by 'ridge run --resume -o %s' or give another -o",
                    output, output);
    return STATUS_OK;
}

static enum status describe_machine(struct campaign *campaign, const struct levels *levels)
{
    char **json = &campaign->run.machine_json;
    TRY(machine_describe(levels, json));
    char *devices = devices_json(&campaign->devices);
    const enum status status = machine_add_devices(json, devices);
    free(devices);
    return status;
}

/* Nothing is written before everything that can be wrong with the question is known. */
static enum status prepare_new(struct campaign *campaign)
{
    struct levels levels;
    TRY(refuse_existing(campaign));
    TRY(suite_read(campaign->options->suite, &campaign->suite));
    TRY(levels_probe(&levels, LEVELS_PROBE_SECONDS));
    find_devices(campaign, &campaign->devices);
    choose_arguments(campaign, &levels, &campaign->devices);
    TRY(plan_jobs(&campaign->suite, campaign->arguments.list, &campaign->jobs));
    name_run(&campaign->run);
    TRY(describe_machine(campaign, &levels));
    TRY(machine_topology_xml(&campaign->run.topology_xml));
    TRY(meta_create(campaign->options, &campaign->suite, &campaign->arguments,
                    &campaign->run.meta_json));
    return journal_create_of(campaign->journal_path, &campaign->run, &campaign->journal);
}

/* ---- A run that goes on. */

static enum status load(struct campaign *campaign)
{
    size_t skipped = 0;
    if (access(campaign->journal_path, F_OK) == 0) {
        TRY(journal_open(campaign->journal_path, &campaign->journal));
        TRY(journal_read(campaign->journal_path, &campaign->run, &skipped));
        if (skipped)
            fprintf(stderr, "ridge: %zu unreadable lines of %s are left out\n", skipped,
                    campaign->journal_path);
        return STATUS_OK;
    }
    if (access(campaign->options->output, F_OK) != 0)
        return FAIL(STATUS_BAD_ARGUMENT, "nothing to resume: neither %s nor %s exists",
                    campaign->options->output, campaign->journal_path);
    return store_read(campaign->options->output, &campaign->run);
}

static int next_child(const struct run *run)
{
    int next = 0;
    for (size_t i = 0; i < run->points_count; i++)
        for (size_t k = 0; k < run->points[i].samples_count; k++)
            if (run->points[i].samples[k].child >= next)
                next = run->points[i].samples[k].child + 1;
    return next;
}

static enum status prepare_resumed(struct campaign *campaign)
{
    char *text, *path;
    TRY(load(campaign));
    TRY(meta_read(campaign->run.meta_json, &text, &path, &campaign->arguments));
    enum status status = suite_parse(text, path, &campaign->suite);
    free(text);
    free(path);
    TRY(status);
    if (strstr(campaign->run.machine_json, "\"devices\"")) {
        find_devices(campaign, &campaign->devices);
        TRY(devices_same(&campaign->devices, campaign->run.machine_json));
    }
    TRY(plan_jobs(&campaign->suite, campaign->arguments.list, &campaign->jobs));
    plan_jobs_subtract(&campaign->jobs, &campaign->run);
    if (!campaign->journal && plan_jobs_missing(&campaign->jobs))
        TRY(journal_create_of(campaign->journal_path, &campaign->run, &campaign->journal));
    return STATUS_OK;
}

/* ---- Running. */

/* The flags of a point follow from all its samples, which only the whole run knows. */
static enum status write_file(struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->run.points_count; i++)
        record_guard(&campaign->run.points[i]);
    return store_write(campaign->options->output, &campaign->run);
}

static enum status run_jobs(struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->jobs.count; i++) {
        TRY(job_run(&campaign->jobs.jobs[i], &campaign->jobs_context));
        TRY(write_file(campaign));
    }
    return STATUS_OK;
}

static int open_signals(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &stop, SFD_CLOEXEC);
}

static void count_points(const struct run *run, struct campaign_result *result)
{
    for (size_t i = 0; i < run->points_count; i++) {
        enum record_status status = run->points[i].status;
        result->measured += status == RECORD_ok;
        result->skipped += status == RECORD_skipped;
        result->wrong += status == RECORD_wrong;
        result->failed += status == RECORD_failed || status == RECORD_timeout;
    }
    result->points = run->points_count;
}

static enum status write_end(struct campaign *campaign, bool is_complete)
{
    char *line;
    struct campaign_result *result = campaign->result;
    result->seconds = clock_seconds() - campaign->started_seconds;
    result->child_seconds = campaign->jobs_context.child_seconds;
    result->journal_seconds = campaign->journal ? journal_seconds(campaign->journal) : 0;
    TRY(meta_finish(&campaign->run.meta_json, result, is_complete));
    TRY(journal_line_meta(campaign->run.meta_json, &line));
    enum status status = campaign->journal ? journal_append(campaign->journal, line) : STATUS_OK;
    free(line);
    TRY(status);
    if (campaign->journal)
        TRY(journal_sync(campaign->journal));
    return write_file(campaign);
}

/* The first failure is the one to report, whatever the clean-up meets after it. */
static enum status finish(struct campaign *campaign, enum status status)
{
    char sentence[1024];
    count_points(&campaign->run, campaign->result);
    if (status == STATUS_OK)
        status = write_end(campaign, true);
    if (status == STATUS_OK)
        return unlink(campaign->journal_path) == 0 ? STATUS_OK
                                                   : FAIL(STATUS_IO, "cannot remove %s: %s",
                                                          campaign->journal_path, strerror(errno));
    snprintf(sentence, sizeof(sentence), "%s", error_message());
    bool is_written = write_end(campaign, false) == STATUS_OK;
    return FAIL(status, "%s; %zu points are safe in %s: go on by 'ridge run --resume -o %s'",
                sentence, campaign->result->points,
                is_written ? campaign->options->output : campaign->journal_path,
                campaign->options->output);
}

static enum status run_prepared(struct campaign *campaign)
{
    size_t missing = plan_jobs_missing(&campaign->jobs);
    campaign->jobs_context = (struct job_context){
        .run = &campaign->run,
        .journal = campaign->journal,
        .progress = &campaign->progress,
        .arguments = campaign->arguments.list,
        .signal_fd = open_signals(),
        .next_child = next_child(&campaign->run),
        .timeout_seconds = campaign->options->timeout_seconds,
    };
    if (!missing && !campaign->journal) {
        count_points(&campaign->run, campaign->result);
        return STATUS_OK; /* complete already: leave the file as it is */
    }
    replace_remove_leftovers(campaign->options->output);
    replace_remove_leftovers(campaign->journal_path);
    enum status status = write_file(campaign);
    progress_begin(&campaign->progress, campaign->options->quiet, missing);
    if (status == STATUS_OK)
        status = run_jobs(campaign);
    progress_end(&campaign->progress);
    return finish(campaign, status);
}

enum status campaign_run(const struct campaign_options *options, struct campaign_result *result)
{
    struct campaign *campaign = calloc(1, sizeof(*campaign));
    if (!campaign)
        return FAIL(STATUS_NO_MEMORY, "no memory for a campaign");
    *result = (struct campaign_result){0};
    campaign->options = options;
    campaign->result = result;
    campaign->started_seconds = clock_seconds();
    snprintf(campaign->journal_path, sizeof(campaign->journal_path), "%s.journal", options->output);
    enum status status = options->resume ? prepare_resumed(campaign) : prepare_new(campaign);
    if (status == STATUS_OK)
        status = run_prepared(campaign);
    if (campaign->journal)
        journal_close(campaign->journal);
    devices_clear(&campaign->devices);
    plan_jobs_clear(&campaign->jobs);
    suite_clear(&campaign->suite);
    run_clear(&campaign->run);
    free(campaign);
    return status;
}
