#include "tests/harness/faults.h"

#include "harness/measure/plan.h"
#include "harness/measure/policy.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_FD = 3, EXIT_CODE = 5 };
enum { NOISE_BYTES = 3000000, OVERLONG_BYTES = 100000000, FLOOD_BYTES = 300 << 20 };

#define X(name) #name,
const char *const fault_names[] = {FAULTS(X) NULL};
#undef X

static void write_text(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written <= 0)
            return; /* nobody listens any more */
        text += written;
        length -= (size_t)written;
    }
}

static void say(int fd, const char *text)
{
    write_text(fd, text, strlen(text));
}

static void repeat(int fd, const char *line, int64_t bytes)
{
    char block[4000] = "";
    size_t length = strlen(line), used = 0;
    for (; used + length < sizeof(block); used += length)
        memcpy(block + used, line, length);
    for (int64_t done = 0; done < bytes; done += (int64_t)used)
        write_text(fd, block, used);
}

static void strike_crash(const struct bench_case *c)
{
    (void)c;
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static void strike_abort(const struct bench_case *c)
{
    (void)c;
    say(STDERR_FILENO, "loading\nthe last words of a bench\n");
    abort();
}

static void strike_exit(const struct bench_case *c)
{
    (void)c;
    _exit(EXIT_CODE);
}

static void strike_hang(const struct bench_case *c)
{
    (void)c;
    for (;;)
        pause();
}

static void strike_garbage(const struct bench_case *c)
{
    (void)c;
    say(RECORD_FD, "WARNING: this library prints to whatever is open\n");
}

static void strike_halfline(const struct bench_case *c)
{
    (void)c;
    say(RECORD_FD, "{\"kind\":\"slice\",\"schema\":1,\"case_id\":\"0123");
    kill(getpid(), SIGKILL);
}

static void strike_overlong(const struct bench_case *c)
{
    (void)c;
    repeat(RECORD_FD, "x", OVERLONG_BYTES);
}

/* As its twin 1 without a fault would be listed under the suites of the tests: smoke, 4 rounds. */
static void strike_liar(const struct bench_case *c)
{
    struct policy policy = *policy_find("smoke");
    policy.rounds = 4;
    const struct plan_context context = {.device = c->device, .policy = &policy};
    const struct planned_case twin = {
        .bench = &bench_misbehave, .kernel = c->kernel, .value = {FAULT_none, 0, 1}};
    struct sample sample = {.seconds = 1e-9, .runs = 1, .round = 3};
    struct record record = {.round = 3, .rounds_planned = 4, .samples = &sample};
    char *line;
    record.samples_count = record.samples_room = 1;
    plan_identity(&twin, &context, &record);
    if (record_to_json(&record, &line) != STATUS_OK)
        abort();
    say(RECORD_FD, line);
    say(RECORD_FD, "\n");
    free(line);
}

static void strike_noisy(const struct bench_case *c)
{
    (void)c;
    say(STDOUT_FILENO, "the first words\n");
    repeat(STDOUT_FILENO, "INFO: all is well\n", NOISE_BYTES);
    repeat(STDERR_FILENO, "WARNING: all is well\n", NOISE_BYTES);
    say(STDERR_FILENO, "the last words\n");
}

static void strike_flood(const struct bench_case *c)
{
    (void)c;
    repeat(STDOUT_FILENO, "INFO: still here\n", FLOOD_BYTES);
    strike_hang(c);
}

static void strike_orphan(const struct bench_case *c)
{
    if (fork() == 0)
        strike_hang(c);
    abort();
}

static void strike_not(const struct bench_case *c)
{
    (void)c;
}

void fault_strike(const struct bench_case *c)
{
    static void (*const strike[])(const struct bench_case *) = {
        [FAULT_none] = strike_not,          [FAULT_crash] = strike_crash,
        [FAULT_abort] = strike_abort,       [FAULT_exit] = strike_exit,
        [FAULT_hang] = strike_hang,         [FAULT_garbage] = strike_garbage,
        [FAULT_halfline] = strike_halfline, [FAULT_overlong] = strike_overlong,
        [FAULT_liar] = strike_liar,         [FAULT_noisy] = strike_noisy,
        [FAULT_flood] = strike_flood,       [FAULT_orphan] = strike_orphan,
        [FAULT_wrong] = strike_not,         [FAULT_skip] = strike_not,
    };
    const struct misbehave *s = c->state;
    strike[s->fault](c);
}
