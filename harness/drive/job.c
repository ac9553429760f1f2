#include "harness/drive/job.h"

#include "harness/base/clock.h"
#include "harness/drive/child.h"
#include "harness/drive/lines.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_STRIKES = 2, REASON_BYTES = 240, NO_CASE = -1 };
static const char CASES_PATH[] = "/proc/self/fd/5"; /* the input of child_start */
/* What a child prints stays in memory until it ends; one that prints without end is stopped. */
static const double MOST_PRINTED_BYTES = 256 << 20, PRINTED_LOOK_SECONDS = 0.5;

/* One child of the job while it lives. */
struct shift {
    struct job *job;
    struct job_context *context;
    struct child child;
    struct lines lines;
    int open_case, open_round; /* announced, not yet reported */
    size_t kept;               /* slices */
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

/* A point that is complete, or given up, is shown; what is shown is on the disk. */
static enum status show_point(struct job_context *context, const char *case_id)
{
    TRY(journal_sync(context->journal));
    progress_point(context->progress, run_find(context->run, case_id));
    return STATUS_OK;
}

static enum status lose_round(struct shift *shift, int index, int round)
{
    struct job_case *lost = &shift->job->cases[index];
    lost->missing &= ~(UINT64_C(1) << round);
    if (++lost->strikes >= MOST_STRIKES)
        lost->missing = 0;
    TRY(write_lost(shift->context, lost, round, shift->end, shift->reason));
    return lost->missing ? STATUS_OK : show_point(shift->context, lost->identity.case_id);
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
    snprintf(shift->reason, sizeof(shift->reason), "%s was stopped: %.180s", shift->job->bench,
             why);
    return STATUS_CHILD;
}

static bool is_missing(const struct shift *shift, int index, int round)
{
    return index != NO_CASE && round >= 0 && round < 64 &&
           (shift->job->cases[index].missing >> round & 1);
}

static enum status take_begin(struct shift *shift, const char *text, size_t length, bool *is_begin)
{
    enum status status = STATUS_OK;
    json_t *line = json_loadb(text, length, 0, NULL);
    const char *kind = json_string_value(json_object_get(line, "kind"));
    const char *case_id = json_string_value(json_object_get(line, "case_id"));
    *is_begin = kind && case_id && strcmp(kind, "begin") == 0;
    if (*is_begin) {
        shift->open_case = find_case(shift->job, case_id);
        shift->open_round = (int)json_integer_value(json_object_get(line, "round"));
        if (!is_missing(shift, shift->open_case, shift->open_round)) {
            shift->open_case = NO_CASE;
            status = garbled(shift, "it began a case or round that was not asked for");
        }
    }
    json_decref(line);
    return status;
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
    shift->kept++;
    if (measured->missing == 0)
        TRY(show_point(context, slice->case_id));
    progress_slice(context->progress, shift->job->bench, slice->round);
    return acknowledge(shift);
}

/* Why a record cannot be what was asked for; NULL where it can. */
static const char *objection(const struct shift *shift, const struct record *slice)
{
    const int open = shift->open_case;
    if (open == NO_CASE || strcmp(slice->case_id, shift->job->cases[open].identity.case_id) != 0)
        return "it reported another case than it had begun";
    if (slice->round != shift->open_round)
        return "it reported another round than it had begun";
    if (slice->status == RECORD_ok && slice->samples_count == 0)
        return "it reported success without a sample";
    for (size_t i = 0; i < slice->samples_count; i++)
        if (slice->samples[i].round != slice->round)
            return "it reported samples of another round";
    return NULL;
}

static enum status take_slice(struct shift *shift, char *text, size_t length)
{
    struct record slice;
    char why[REASON_BYTES];
    if (record_from_json(text, length, &slice) != STATUS_OK) {
        snprintf(why, sizeof(why), "it reported what is no record: %s", error_message());
        return garbled(shift, why);
    }
    const char *wrong = objection(shift, &slice);
    text[length] = '\0'; /* over the newline */
    enum status status =
        wrong ? garbled(shift, wrong) : keep_slice(shift, shift->open_case, &slice, text);
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

/* Time without a word is time without a line: what a child prints does not count. */
static enum lines_event wait_for_word(struct shift *shift)
{
    const struct child *child = &shift->child;
    double left_seconds = shift->context->timeout_seconds;
    enum lines_event event;
    do {
        event = lines_wait(&shift->lines, child->record_fd, child->end_fd,
                           shift->context->signal_fd, fmin(left_seconds, PRINTED_LOOK_SECONDS));
        left_seconds -= PRINTED_LOOK_SECONDS;
        if (child_log_bytes(child) > MOST_PRINTED_BYTES)
            return LINES_OVERLONG;
    } while (event == LINES_TIMEOUT && left_seconds > 0);
    return event;
}

/* Until the child closes its end. STATUS_CHILD: it must be killed, the reason stands in shift. */
static enum status listen(struct shift *shift)
{
    for (;;) {
        enum lines_event event = wait_for_word(shift);
        if (event == LINES_END)
            return STATUS_OK;
        if (event == LINES_SIGNAL)
            return FAIL(STATUS_INTERRUPTED, "interrupted");
        if (event == LINES_OVERLONG)
            return garbled(shift, "it wrote without end");
        if (event == LINES_TIMEOUT) {
            shift->end = RECORD_timeout;
            snprintf(shift->reason, sizeof(shift->reason),
                     "%s was stopped: no word from it for %g s", shift->job->bench,
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

/* Whatever is still missing when a child ended before its first case has no hope in another. */
static enum status give_up(struct shift *shift)
{
    for (size_t i = 0; i < shift->job->count; i++) {
        struct job_case *hopeless = &shift->job->cases[i];
        if (!hopeless->missing)
            continue;
        int round = __builtin_ctzll(hopeless->missing);
        hopeless->missing = 0;
        TRY(write_lost(shift->context, hopeless, round, shift->end, shift->reason));
        TRY(show_point(shift->context, hopeless->identity.case_id));
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
    if (shift->open_case != NO_CASE)
        return lose_round(shift, shift->open_case, shift->open_round);
    return shift->kept ? STATUS_OK : give_up(shift); /* the next one goes on where it ended */
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

static enum status start(struct shift *shift, int cases, int number)
{
    const char *argv[64] = {shift->job->program,
                            "--cases",
                            CASES_PATH,
                            "--record",
                            "fd:3",
                            "--ack",
                            "fd:4",
                            "--run-id",
                            shift->context->run->run_id,
                            "--child"};
    char child_number[16];
    size_t count = 10;
    snprintf(child_number, sizeof(child_number), "%d", number);
    argv[count++] = child_number;
    for (const char *const *a = shift->context->arguments; *a && count < 60; a++)
        argv[count++] = *a;
    if (shift->job->device[0]) { /* behind the list of all: the last one counts */
        argv[count++] = "--device";
        argv[count++] = shift->job->device;
    }
    return child_start(argv, cases, &shift->child);
}

static enum status run_child(struct shift *shift, int cases)
{
    int number = shift->context->next_child++;
    double started_seconds = clock_seconds();
    TRY(start(shift, cases, number));
    enum status status = settle(shift, listen(shift));
    shift->context->child_seconds += clock_seconds() - started_seconds;
    enum status logged = status == STATUS_OK ? write_log(shift, number) : status;
    child_close(&shift->child);
    lines_clear(&shift->lines);
    return logged;
}

/* The list of cases goes to the child as a file in memory: nothing to leave behind. */
static enum status run_shift(struct job *job, struct job_context *context)
{
    struct shift shift = {.job = job, .context = context, .open_case = NO_CASE};
    int fd = memfd_create("ridge-cases", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return FAIL(STATUS_CHILD, "cannot make a list of cases: %s", strerror(errno));
    enum status status = write_cases(job, file);
    if (status == STATUS_OK)
        status = run_child(&shift, fd);
    fclose(file);
    return status;
}

enum status job_run(struct job *job, struct job_context *context)
{
    while (job_missing_slices(job))
        TRY(run_shift(job, context));
    return STATUS_OK;
}
