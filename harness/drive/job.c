#include "harness/drive/job.h"

#include "harness/base/clock.h"
#include "harness/drive/child.h"
#include "harness/drive/lines.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STRIKES = 2, REASON_BYTES = 240, NO_CASE = -1 };

/* One child of the job while it lives. */
struct shift {
    struct job *job;
    struct job_context *context;
    struct child child;
    struct lines lines;
    int open_case, open_round; /* announced, not yet reported */
    enum record_status end;    /* how it ended: ok, failed or timeout */
    char reason[REASON_BYTES];
};

enum status job_add_case(struct job *job, const struct record *identity)
{
    if (job->count == job->room) {
        size_t room = job->room ? 2 * job->room : 64;
        struct job_case *grown = realloc(job->cases, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu cases", room);
        job->cases = grown;
        job->room = room;
    }
    job->cases[job->count++] = (struct job_case){
        .identity = *identity, .missing = (UINT64_C(1) << identity->rounds_planned) - 1};
    return STATUS_OK;
}

void job_clear(struct job *job)
{
    free(job->cases);
    *job = (struct job){0};
}

size_t job_missing_slices(const struct job *job)
{
    size_t sum = 0;
    for (size_t i = 0; i < job->count; i++)
        sum += (size_t)__builtin_popcountll(job->cases[i].missing);
    return sum;
}

static int find_case(const struct job *job, const char *case_id)
{
    for (size_t i = 0; i < job->count; i++)
        if (strcmp(job->cases[i].identity.case_id, case_id) == 0)
            return (int)i;
    return NO_CASE;
}

/* ---- What is written to the journal. */

static enum status append_and_free(struct journal *journal, char *line)
{
    enum status status = journal_append(journal, line);
    free(line);
    return status;
}

static enum status write_lost(struct job_context *context, const struct job_case *lost, int round,
                              enum record_status how, const char *reason)
{
    struct record record = lost->identity;
    char *line;
    record.status = how;
    record.round = round;
    snprintf(record.reason, sizeof(record.reason), "%s", reason);
    snprintf(record.run_id, sizeof(record.run_id), "%s", context->run->run_id);
    if (!run_find(context->run, record.case_id))
        TRY(run_add_slice(context->run, &record));
    TRY(journal_line_lost(&record, round, &line));
    return append_and_free(context->journal, line);
}

static enum status lose_round(struct shift *shift, int index, int round)
{
    struct job_case *lost = &shift->job->cases[index];
    lost->missing &= ~(UINT64_C(1) << round);
    if (++lost->strikes >= MOST_STRIKES)
        lost->missing = 0;
    return write_lost(shift->context, lost, round, shift->end, shift->reason);
}

static enum status write_log(struct shift *shift, int number)
{
    char *text = child_log(&shift->child), *line;
    struct run_log log = {.text = text};
    if (!text || !*text) {
        free(text);
        return STATUS_OK;
    }
    snprintf(log.name, sizeof(log.name), "%s.%d", shift->job->bench, number);
    enum status status = run_add_log(shift->context->run, log.name, text);
    if (status == STATUS_OK)
        status = journal_line_log(&log, &line);
    if (status == STATUS_OK)
        status = append_and_free(shift->context->journal, line);
    free(text);
    return status;
}

/* ---- What comes from the child. */

static enum status garbled(struct shift *shift, const char *why)
{
    shift->end = RECORD_failed;
    snprintf(shift->reason, sizeof(shift->reason), "it reported what is no record: %.180s", why);
    return STATUS_CHILD;
}

static enum status take_begin(struct shift *shift, const char *text, size_t length, bool *is_begin)
{
    json_t *line = json_loadb(text, length, 0, NULL);
    const char *kind = json_string_value(json_object_get(line, "kind"));
    const char *case_id = json_string_value(json_object_get(line, "case_id"));
    *is_begin = kind && case_id && strcmp(kind, "begin") == 0;
    if (*is_begin) {
        shift->open_case = find_case(shift->job, case_id);
        shift->open_round = (int)json_integer_value(json_object_get(line, "round"));
    }
    json_decref(line);
    return STATUS_OK;
}

static enum status acknowledge(struct shift *shift)
{
    /* Where the child has died meanwhile, its end is seen at the next read. */
    while (write(shift->child.ack_fd, "+", 1) < 0 && errno == EINTR)
        ;
    return STATUS_OK;
}

/* Keeps one slice: first in the journal, then in memory; the last round of a case shows it. */
static enum status keep_slice(struct shift *shift, int index, const struct record *slice,
                              const char *line)
{
    struct job_context *context = shift->context;
    struct job_case *measured = &shift->job->cases[index];
    TRY(journal_append(context->journal, line));
    TRY(run_add_slice(context->run, slice));
    measured->missing &= ~(UINT64_C(1) << slice->round);
    if (slice->status != RECORD_ok)
        measured->missing = 0;
    shift->open_case = NO_CASE;
    if (measured->missing == 0) {
        TRY(journal_sync(context->journal));
        progress_point(context->progress, run_find(context->run, slice->case_id));
    }
    progress_slice(context->progress, shift->job->bench, slice->round);
    return acknowledge(shift);
}

static enum status take_slice(struct shift *shift, char *text, size_t length)
{
    struct record slice;
    if (record_from_json(text, length, &slice) != STATUS_OK)
        return garbled(shift, error_message());
    int index = find_case(shift->job, slice.case_id);
    enum status status;
    if (index == NO_CASE || !(shift->job->cases[index].missing >> slice.round & 1)) {
        status = garbled(shift, "a case or round that was not asked for");
    } else {
        text[length] = '\0'; /* over the newline */
        status = keep_slice(shift, index, &slice, text);
    }
    record_clear(&slice);
    return status;
}

static enum status take_line(void *arg, char *text, size_t length)
{
    struct shift *shift = arg;
    bool is_begin;
    TRY(take_begin(shift, text, length, &is_begin));
    return is_begin ? STATUS_OK : take_slice(shift, text, length);
}

/* Until the child closes its end. STATUS_CHILD: it must be killed, the reason stands in shift. */
static enum status listen(struct shift *shift)
{
    for (;;) {
        enum lines_event event = lines_wait(&shift->lines, shift->child.record_fd,
                                            shift->context->signal_fd,
                                            shift->context->timeout_seconds);
        if (event == LINES_END)
            return STATUS_OK;
        if (event == LINES_SIGNAL)
            return FAIL(STATUS_INTERRUPTED, "interrupted");
        if (event == LINES_OVERLONG)
            return garbled(shift, "a line without end");
        if (event == LINES_TIMEOUT) {
            shift->end = RECORD_timeout;
            snprintf(shift->reason, sizeof(shift->reason), "no word from it for %.0f s",
                     shift->context->timeout_seconds);
            return STATUS_CHILD;
        }
        TRY(lines_take(&shift->lines, take_line, shift));
    }
}

/* ---- The child's life. */

static void describe_end(struct shift *shift, int wait_status)
{
    char end[96], *said = child_log(&shift->child);
    const char *last = said ? said : "";
    size_t length = strlen(last);
    while (length && last[length - 1] == '\n')
        length--;
    const char *start = last + length;
    while (start > last && start[-1] != '\n')
        start--;
    shift->end = RECORD_failed;
    snprintf(shift->reason, sizeof(shift->reason), "%s %s%s%.*s", shift->job->bench,
             child_end_text(wait_status, end, sizeof(end)), length ? ": " : "",
             (int)(last + length - start), start);
    free(said);
}

/* Whatever is still missing when a child ended without a case open has no hope in another. */
static enum status give_up(struct shift *shift)
{
    for (size_t i = 0; i < shift->job->count; i++) {
        struct job_case *hopeless = &shift->job->cases[i];
        if (!hopeless->missing)
            continue;
        int round = __builtin_ctzll(hopeless->missing);
        hopeless->missing = 0;
        TRY(write_lost(shift->context, hopeless, round, shift->end, shift->reason));
    }
    return STATUS_OK;
}

static enum status settle(struct shift *shift, enum status heard)
{
    if (heard != STATUS_OK && heard != STATUS_CHILD) {
        child_kill(&shift->child); /* interrupted, or the journal is full */
        return heard;
    }
    if (heard == STATUS_CHILD)
        child_kill(&shift->child);
    else
        describe_end(shift, child_wait(&shift->child));
    if (job_missing_slices(shift->job) == 0)
        return STATUS_OK;
    return shift->open_case != NO_CASE ? lose_round(shift, shift->open_case, shift->open_round)
                                       : give_up(shift);
}

static enum status write_cases(const struct job *job, FILE *file)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct job_case *c = &job->cases[i];
        const char *comma = "";
        if (!c->missing)
            continue;
        fprintf(file, "{\"bench\":\"%s\",\"variant\":\"%s\",\"params\":%s,\"rounds\":[",
                c->identity.bench, c->identity.variant, c->identity.params);
        for (int r = 0; r < 64; r++)
            if (c->missing >> r & 1) {
                fprintf(file, "%s%d", comma, r);
                comma = ",";
            }
        fprintf(file, "]}\n");
    }
    return fflush(file) == 0 && !ferror(file)
               ? STATUS_OK
               : FAIL(STATUS_IO, "cannot write the list of cases: %s", strerror(errno));
}

static enum status start(struct shift *shift, const char *cases_path, int number)
{
    const char *argv[64] = {shift->job->program, "--cases",  cases_path, "--record", "fd:3",
                            "--ack",             "fd:4",     "--run-id", shift->context->run->run_id,
                            "--child"};
    char child_number[16];
    size_t count = 10;
    snprintf(child_number, sizeof(child_number), "%d", number);
    argv[count++] = child_number;
    for (const char *const *a = shift->context->arguments; *a && count < 62; a++)
        argv[count++] = *a;
    return child_start(argv, &shift->child);
}

static enum status run_child(struct shift *shift, const char *cases_path)
{
    int number = shift->context->next_child++;
    double started_seconds = clock_seconds();
    TRY(start(shift, cases_path, number));
    enum status status = settle(shift, listen(shift));
    shift->context->child_seconds += clock_seconds() - started_seconds;
    enum status logged = status == STATUS_OK ? write_log(shift, number) : status;
    child_close(&shift->child);
    lines_clear(&shift->lines);
    return logged;
}

/* The list of cases goes to the child as a temporary file. */
static enum status run_shift(struct job *job, struct job_context *context)
{
    struct shift shift = {.job = job, .context = context, .open_case = NO_CASE};
    char path[] = "/tmp/ridge-cases-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return FAIL(STATUS_IO, "cannot write a list of cases in /tmp: %s", strerror(errno));
    enum status status = write_cases(job, file);
    if (status == STATUS_OK)
        status = run_child(&shift, path);
    fclose(file);
    unlink(path);
    return status;
}

enum status job_run(struct job *job, struct job_context *context)
{
    while (job_missing_slices(job))
        TRY(run_shift(job, context));
    return STATUS_OK;
}
