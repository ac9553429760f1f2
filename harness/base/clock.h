/* The one clock of the project. */
#pragma once

#include <time.h>

/* Seconds of CLOCK_MONOTONIC_RAW: never stepped nor slewed by NTP, shared by all processes. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
