#include "harness/measure/foreign_load.h"

#include "harness/base/clock.h"
#include "harness/measure/text_file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double least_window_seconds = 0.05;
static const double not_known = -1;

bool foreign_load_parse(const char *proc_stat, double ticks_per_second, struct cpu_times *times)
{
    double user, nice, system, idle, iowait, irq, softirq, steal = 0;
    int found = sscanf(proc_stat, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system,
                       &idle, &iowait, &irq, &softirq, &steal);
    if (strncmp(proc_stat, "cpu ", 4) != 0 || found < 7 || ticks_per_second <= 0)
        return false;
    times->busy_seconds = (user + nice + system + irq + softirq) / ticks_per_second;
    times->steal_seconds = steal / ticks_per_second;
    return true;
}

double foreign_load_between(const struct cpu_times *first, const struct cpu_times *last)
{
    double window_seconds = last->at_seconds - first->at_seconds;
    if (window_seconds < least_window_seconds)
        return not_known;
    double busy_seconds = last->busy_seconds - first->busy_seconds;
    double own_seconds = last->own_seconds - first->own_seconds;
    double cores = (busy_seconds - own_seconds) / window_seconds;
    return cores > 0 ? cores : 0;
}

static bool take_reading(struct cpu_times *times, double now_seconds)
{
    char text[512];
    struct timespec own;
    if (text_file_read("/proc/stat", text, sizeof(text)) < 0 ||
        !foreign_load_parse(text, (double)sysconf(_SC_CLK_TCK), times))
        return false;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    times->own_seconds = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec;
    times->at_seconds = now_seconds;
    return true;
}

static void append(struct foreign_load *load, const struct cpu_times *reading)
{
    load->newest = load->count ? (load->newest + 1) % FOREIGN_LOAD_WINDOW : 0;
    load->readings[load->newest] = *reading;
    if (load->count < FOREIGN_LOAD_WINDOW)
        load->count++;
}

void foreign_load_begin(struct foreign_load *load)
{
    struct cpu_times reading;
    *load = (struct foreign_load){.cores = not_known, .steal_cores = not_known};
    if (take_reading(&reading, clock_seconds()))
        append(load, &reading);
}

double foreign_load_update(struct foreign_load *load, double now_seconds)
{
    struct cpu_times reading;
    if (load->count == 0)
        return not_known;
    const struct cpu_times *newest = &load->readings[load->newest];
    if (now_seconds - newest->at_seconds < least_window_seconds ||
        !take_reading(&reading, now_seconds))
        return load->cores;
    append(load, &reading);
    int oldest_index =
        load->count < FOREIGN_LOAD_WINDOW ? 0 : (load->newest + 1) % FOREIGN_LOAD_WINDOW;
    const struct cpu_times *oldest = &load->readings[oldest_index];
    load->cores = foreign_load_between(oldest, &reading);
    load->steal_cores =
        (reading.steal_seconds - oldest->steal_seconds) / (reading.at_seconds - oldest->at_seconds);
    return load->cores;
}

double foreign_load_end(struct foreign_load *load)
{
    return foreign_load_update(load, clock_seconds());
}
