/* How many cores other processes use: the machine's busy time minus our own CPU time.
 *
 * The kernel counts busy time in ticks of 10 ms per processor, so a window of w seconds is known
 * to about 0.01 / w cores per busy processor: 0.2 in 50 ms, 0.025 in 400 ms. A virtual machine's
 * neighbours are not seen at all unless the hypervisor reports steal time; many report 0.
 */
#pragma once

#include "harness/base/c_api.h"

#include <stdbool.h>

enum { FOREIGN_LOAD_WINDOW = 8 }; /* readings, 50 ms apart or more */

struct cpu_times {
    double at_seconds;    /* clock_seconds of the reading */
    double busy_seconds;  /* all processors: user, nice, system, irq, softirq */
    double steal_seconds; /* that the hypervisor gave to others, as far as it says so */
    double own_seconds;   /* CPU time of this process, all threads */
};

struct foreign_load {
    struct cpu_times readings[FOREIGN_LOAD_WINDOW]; /* a ring; count of them are filled */
    int count, newest;
    double cores;       /* latest known value; negative: not known */
    double steal_cores; /* the same for steal time */
};

C_API_BEGIN

/* The first reading. Negative `cores` remain where /proc/stat cannot be read. */
void foreign_load_begin(struct foreign_load *load);

/* Cores that others used since begin; negative: not known, as for less than 50 ms. */
double foreign_load_end(struct foreign_load *load);

/* Rolling: reads again when 50 ms have passed since the last reading, and returns the load over
 * the readings kept (up to 0.4 s or more); negative while that is less than 50 ms. */
double foreign_load_update(struct foreign_load *load, double now_seconds);

/* Reads the first line of /proc/stat; false where it is none. Fills busy and steal. */
bool foreign_load_parse(const char *proc_stat, double ticks_per_second, struct cpu_times *times);

/* Load between two readings in cores, at least 0; negative where they are less than 50 ms
 * apart. */
double foreign_load_between(const struct cpu_times *first, const struct cpu_times *last);

C_API_END
