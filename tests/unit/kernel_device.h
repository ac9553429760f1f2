/* A device that has a team and its processors, and nothing else: all that the CPU kernels need of
 * one. */
#pragma once

#include "harness/measure/device.h"
#include "harness/measure/team.h"

#include <sched.h>
#include <string.h>

enum { THREADS = 2 };

struct device {
    struct team *team;
    struct device_info info; /* cpus, thread_count */
};

struct team *device_team(struct device *device)
{
    return device->team;
}

const struct device_info *device_info(const struct device *device)
{
    return &device->info;
}

/* Two threads, on two processors where there are two. For cmocka's group setup and teardown. */
static inline int open_device(void **state)
{
    static struct device device;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    int cpus[THREADS] = {0}, found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < THREADS; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[found++] = cpu;
    if (found == 1)
        cpus[1] = cpus[0];
    device.info.thread_count = THREADS;
    memcpy(device.info.cpus, cpus, sizeof(cpus));
    *state = &device;
    return team_open(cpus, THREADS, &device.team) == STATUS_OK ? 0 : 1;
}

static inline int close_device(void **state)
{
    team_close(((struct device *)*state)->team);
    return 0;
}
