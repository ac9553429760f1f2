/* How many threads a library uses, and where they sit.
 *
 * The caller is pinned to its first processor (harness/measure/team.h), and a thread inherits the
 * processors of the one that starts it: workers started by a pinned caller would all share one. So
 * where a library starts threads, the caller may use all processors of the team, and is pinned
 * again behind it.
 *
 * OpenBLAS with pthreads starts its workers when it is told their number, and keeps them: they are
 * found among this process's threads and pinned, one per processor, and calls cost nothing more.
 * Others may start threads at any call (BLIS does so at each, and joins them): their calls stand
 * between two sched_setaffinity and one sched_getaffinity, 4.2 us together on an EPYC 9004 in a
 * virtual machine, and their threads float among the processors of the team. With one thread
 * nothing is changed. */
#include "kernels/blas/blas.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { THREADS_MAX = 4096 };

/* The thread ids of this process; returns how many. */
static int list_threads(pid_t *ids)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) && count < THREADS_MAX;)
        if (entry->d_name[0] != '.')
            ids[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
    closedir(folder);
    return count;
}

static bool is_among(const pid_t *ids, int count, pid_t id)
{
    for (int i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void tell_threads(struct blas *blas, int thread_count)
{
    if (blas->set_threads)
        blas->set_threads(thread_count);
    else if (blas->set_threads_wide)
        blas->set_threads_wide(thread_count);
    blas->thread_count = thread_count;
}

/* Worker i of a library is its thread i + 1; what cannot be found out stays where it may float. */
static void pin_new_workers(struct blas *blas, const int *cpus, int thread_count,
                            const pid_t *old_ids, int old_count)
{
    pid_t ids[THREADS_MAX];
    const int count = list_threads(ids);
    for (int i = 0; i < count && blas->worker_count + 1 < thread_count; i++)
        if (!is_among(old_ids, old_count, ids[i])) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpus[++blas->worker_count], &one);
            sched_setaffinity(ids[i], sizeof(one), &one);
        }
}

static void change_threads(struct blas *blas, const int *cpus, int thread_count)
{
    pid_t old_ids[THREADS_MAX];
    const int old_count = blas->keeps_workers ? list_threads(old_ids) : 0;
    tell_threads(blas, thread_count);
    if (blas->keeps_workers)
        pin_new_workers(blas, cpus, thread_count, old_ids, old_count);
}

static enum status widen(const int *cpus, int thread_count, cpu_set_t *before)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < thread_count; i++)
        CPU_SET(cpus[i], &all);
    if (sched_getaffinity(0, sizeof(*before), before) != 0 ||
        sched_setaffinity(0, sizeof(all), &all) != 0)
        return FAIL(STATUS_DEVICE,
                    "a library's threads cannot be given %d processors from %d on: are they still "
                    "among those that this process may use (taskset -p, cgroup cpuset)?",
                    thread_count, cpus[0]);
    return STATUS_OK;
}

enum status blas_run(struct blas *blas, const int *cpus, int thread_count, blas_body body,
                     const void *arg)
{
    const bool changes = blas->thread_count != thread_count;
    const bool starts_threads = thread_count > 1 && (changes || !blas->keeps_workers);
    cpu_set_t before;
    if (thread_count > 1 && !blas->set_threads && !blas->set_threads_wide)
        return FAIL(STATUS_SKIP, "%s (%s) cannot be told to use %d threads: measure threads=1",
                    blas->name, blas->threading, thread_count);
    if (starts_threads)
        TRY(widen(cpus, thread_count, &before));
    if (changes)
        change_threads(blas, cpus, thread_count);
    body(blas, arg);
    if (starts_threads)
        sched_setaffinity(0, sizeof(before), &before);
    return STATUS_OK;
}
