/* A team of pinned threads that stays alive between calls, so that a short kernel is not timed
 * together with the creation of threads. Thread 0 is the caller.
 *
 * Own code rather than OpenMP: it is part of the measurement (where threads sit, how they start
 * together, when the first begins and the last ends), and the thread sanitizer understands it.
 */
#pragma once

#include "harness/base/status.h"

#include <stdint.h>

struct team;

typedef void (*team_body)(void *arg, int thread, int thread_count);

C_API_BEGIN

/* A team of at most thread_count threads, thread i pinned to processor cpus[i] (the operating
 * system's number). The caller owns the team and is pinned by this call until team_close, which
 * gives it its processors back. */
enum status team_open(const int *cpus, int thread_count, struct team **team);
void team_close(struct team *team);

int team_capacity(const struct team *team);

/* How many threads the next team_run uses: 1 .. capacity. */
void team_resize(struct team *team, int thread_count);
int team_size(const struct team *team);

/* Runs body(arg, i, size) on every thread, all starting together at a barrier; returns when all
 * are done. */
void team_run(struct team *team, team_body body, void *arg);

/* Seconds from the first thread's start to the last one's end, summed over the runs since the
 * last call; 0 if there was none. */
double team_take_span_seconds(struct team *team);

/* The part of `count` items that belongs to a thread: contiguous, parts in thread order, every
 * boundary a multiple of `granule` items (a cache line's worth). First touch and kernels use the
 * same rule, so a thread's part lies on its own memory node. */
static inline int64_t team_part_begin(int64_t count, int64_t granule, int thread, int thread_count)
{
    int64_t granules = (count + granule - 1) / granule;
    int64_t begin = granules * thread / thread_count * granule;
    return begin < count ? begin : count;
}

C_API_END
