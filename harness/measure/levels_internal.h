/* The parts of levels.h that tests reach one by one: reading the claims below any directory, and
 * the decision between claims and measured latencies, which is a pure function. */
#pragma once

#include "harness/measure/levels.h"

enum { LATENCY_CURVE_MAX = 40 };

/* What the chase found: the time of one dependent load against the size of the set, ascending. */
struct latency_curve {
    int count;
    int64_t size_bytes[LATENCY_CURVE_MAX];
    double seconds[LATENCY_CURVE_MAX];
};

C_API_BEGIN

/* levels_claimed with everything that it reads as an argument: `root` stands for
 * /sys/devices/system/cpu, cpuid_bytes[i] for what sysconf says about level i + 1 (0: nothing). */
void levels_claimed_at(const char *root, const int64_t cpuid_bytes[LEVELS_MAX],
                       struct levels *levels);

/* Confirms or replaces the claims in `levels` by the curve, and adds what nothing claims. */
void levels_decide(struct levels *levels, const struct latency_curve *curve);

/* Time of a dependent load in a set of this size, between the curve's points interpolated on
 * logarithmic axes, beyond its ends the last value; 0 for an empty curve. */
double latency_curve_at(const struct latency_curve *curve, double size_bytes);

/* Measures the curve, for at most about `budget_seconds`, up to `max_bytes`. */
enum status latency_curve_measure(struct latency_curve *curve, int64_t max_bytes,
                                  double budget_seconds);

/* Writes into each of `lines` lines of 64 bytes the address of the next, so that they form one
 * ring in random-looking order; lines is 2^k or 3 * 2^k, at least 128. */
void latency_ring_build(char *base, int64_t lines);

C_API_END
