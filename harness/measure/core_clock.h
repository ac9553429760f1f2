/* The clock at which the core runs now, and the one at which its counter counts. They differ:
 * a constant time-stamp counter says nothing about cycles. */
#pragma once

#include "harness/base/c_api.h"

C_API_BEGIN

/* Core clock in Hz, from a chain of dependent additions, one cycle each, that takes about
 * `seconds` (1e-5 suits a probe between samples; below that the clock's step shows). The fastest
 * third counts, so one interrupt does no harm. 0 where this architecture has no such chain. */
double core_clock_hz(double seconds);

/* Ticks per second of the time-stamp counter, as told by the processor or compared with
 * clock_seconds for 10 ms; 0 where there is none. */
double time_stamp_counter_hz(void);

C_API_END
