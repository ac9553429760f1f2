#include "harness/measure/team.h"

#include "harness/base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A thread that blocks needs some 50 us to be woken: it spins for as long as that would cost, so
 * that launches in quick succession never pay it and an idle team leaves the processor free. */
#define SPIN_SECONDS 50e-6

enum { LINE_BYTES = 64 };

/* One per thread, each on its own lines: a flag polled by one must not be slowed by another. */
struct member {
    alignas(LINE_BYTES) struct team *team;
    int index;
    pthread_t thread;
    double start_seconds, end_seconds; /* of its body in the last run */

    alignas(LINE_BYTES) atomic_uint ticket; /* counts the runs that this thread takes part in */
    atomic_bool asleep;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct team {
    int capacity, size;
    team_body body; /* NULL in a run: leave */
    void *arg;
    double span_seconds;
    cpu_set_t callers_cpus; /* given back by team_close */
    struct member *members;

    alignas(LINE_BYTES) atomic_int arrived;
    alignas(LINE_BYTES) atomic_int finished;
};

/* Polls until the counter reads `target`. Reading the clock between two polls keeps the line
 * quiet; after the spin the processor is offered to others, who may be the ones waited for. */
static void wait_for_count(atomic_int *counter, int target)
{
    const double begin_seconds = clock_seconds();
    while (atomic_load_explicit(counter, memory_order_acquire) != target)
        if (clock_seconds() - begin_seconds > SPIN_SECONDS)
            sched_yield();
}

/* Waits until the thread's ticket is no longer `seen`. */
static void wait_for_ticket(struct member *member, unsigned seen)
{
    const double begin_seconds = clock_seconds();
    while (clock_seconds() - begin_seconds < SPIN_SECONDS)
        if (atomic_load_explicit(&member->ticket, memory_order_acquire) != seen)
            return;

    pthread_mutex_lock(&member->lock);
    atomic_store(&member->asleep, true);
    while (atomic_load(&member->ticket) == seen)
        pthread_cond_wait(&member->wake, &member->lock);
    atomic_store(&member->asleep, false);
    pthread_mutex_unlock(&member->lock);
}

/* The ticket is raised before `asleep` is read, and a sleeper sets `asleep` before it reads the
 * ticket: in the one order of these four, at least one of the two sees the other. */
static void raise_ticket(struct member *member)
{
    atomic_fetch_add(&member->ticket, 1);
    if (!atomic_load(&member->asleep))
        return;
    pthread_mutex_lock(&member->lock);
    pthread_cond_signal(&member->wake);
    pthread_mutex_unlock(&member->lock);
}

static void take_part(struct member *member)
{
    struct team *team = member->team;
    atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel);
    wait_for_count(&team->arrived, team->size);
    member->start_seconds = clock_seconds();
    team->body(team->arg, member->index, team->size);
    member->end_seconds = clock_seconds();
    atomic_fetch_add_explicit(&team->finished, 1, memory_order_release);
}

static void *serve(void *untyped)
{
    struct member *member = untyped;
    for (unsigned seen = 0;; seen++) {
        wait_for_ticket(member, seen);
        if (!member->team->body)
            return NULL;
        take_part(member);
    }
}

static enum status pin_refused(int cpu, int error)
{
    return FAIL(STATUS_DEVICE,
                "could not start a thread on processor %d: %s; is it among those that this process "
                "may use (taskset -p, cgroup cpuset), and are more threads allowed (ulimit -u)?",
                cpu, strerror(error));
}

static enum status make_cpu_set(int cpu, cpu_set_t *set)
{
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return FAIL(STATUS_BAD_ARGUMENT, "processor %d: a number from 0 to %d is needed", cpu,
                    CPU_SETSIZE - 1);
    CPU_ZERO(set);
    CPU_SET(cpu, set);
    return STATUS_OK;
}

static enum status pin_caller(int cpu)
{
    cpu_set_t set;
    TRY(make_cpu_set(cpu, &set));
    int error = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    return error ? pin_refused(cpu, error) : STATUS_OK;
}

/* The thread is pinned before its first instruction, so that its stack is touched in place. */
static enum status start_member(struct member *member, int cpu)
{
    cpu_set_t set;
    TRY(make_cpu_set(cpu, &set));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof(set), &set);
    int error = pthread_create(&member->thread, &attributes, serve, member);
    pthread_attr_destroy(&attributes);
    return error ? pin_refused(cpu, error) : STATUS_OK;
}

static enum status start_all(struct team *team, const int *cpus, int thread_count)
{
    TRY(pin_caller(cpus[0]));
    for (int i = 0; i < thread_count; i++) {
        struct member *member = &team->members[i];
        member->team = team;
        member->index = i;
        pthread_mutex_init(&member->lock, NULL);
        pthread_cond_init(&member->wake, NULL);
        if (i > 0)
            TRY(start_member(member, cpus[i]));
        team->capacity = i + 1; /* those that team_close must end */
    }
    team->size = team->capacity;
    return STATUS_OK;
}

enum status team_open(const int *cpus, int thread_count, struct team **team)
{
    assert(thread_count >= 1);
    const size_t member_bytes = (size_t)thread_count * sizeof(struct member);
    struct team *opened = aligned_alloc(LINE_BYTES, sizeof(*opened));
    struct member *members = aligned_alloc(LINE_BYTES, member_bytes);
    if (!opened || !members) {
        free(opened);
        free(members);
        return FAIL(STATUS_NO_MEMORY, "no memory for a team of %d threads", thread_count);
    }
    memset(opened, 0, sizeof(*opened));
    memset(members, 0, member_bytes);
    opened->members = members;
    pthread_getaffinity_np(pthread_self(), sizeof(opened->callers_cpus), &opened->callers_cpus);

    enum status status = start_all(opened, cpus, thread_count);
    if (status != STATUS_OK) {
        team_close(opened);
        return status;
    }
    *team = opened;
    return STATUS_OK;
}

void team_close(struct team *team)
{
    if (!team)
        return;
    team->body = NULL;
    for (int i = 1; i < team->capacity; i++) {
        raise_ticket(&team->members[i]);
        pthread_join(team->members[i].thread, NULL);
    }
    for (int i = 0; i < team->capacity; i++) {
        pthread_cond_destroy(&team->members[i].wake);
        pthread_mutex_destroy(&team->members[i].lock);
    }
    pthread_setaffinity_np(pthread_self(), sizeof(team->callers_cpus), &team->callers_cpus);
    free(team->members);
    free(team);
}

int team_capacity(const struct team *team)
{
    return team->capacity;
}

void team_resize(struct team *team, int thread_count)
{
    assert(thread_count >= 1 && thread_count <= team->capacity);
    team->size = thread_count;
}

int team_size(const struct team *team)
{
    return team->size;
}

static double measure_span(const struct team *team)
{
    double first_seconds = team->members[0].start_seconds;
    double last_seconds = team->members[0].end_seconds;
    for (int i = 1; i < team->size; i++) {
        const struct member *member = &team->members[i];
        if (member->start_seconds < first_seconds)
            first_seconds = member->start_seconds;
        if (member->end_seconds > last_seconds)
            last_seconds = member->end_seconds;
    }
    return last_seconds - first_seconds;
}

void team_run(struct team *team, team_body body, void *arg)
{
    assert(body);
    team->body = body;
    team->arg = arg;
    atomic_store(&team->arrived, 0);
    atomic_store(&team->finished, 0);
    for (int i = 1; i < team->size; i++)
        raise_ticket(&team->members[i]);
    take_part(&team->members[0]);
    wait_for_count(&team->finished, team->size);
    team->span_seconds += measure_span(team);
}

double team_take_span_seconds(struct team *team)
{
    double span_seconds = team->span_seconds;
    team->span_seconds = 0;
    return span_seconds;
}
