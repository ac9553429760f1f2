/* Between the runner and harness/measure/case.c: the buffers of a case. */
#pragma once

#include "harness/measure/bench.h"

/* Gives every buffer of the case back. */
void case_free_buffers(struct bench_case *c);

/* Overwrites every output buffer with NaN, so that an answer that is not written is wrong. */
enum status case_poison_outputs(struct bench_case *c);

/* Memory that the case holds, and the part of it that its arrays fill: the working set. */
size_t case_buffer_bytes(const struct bench_case *c);
size_t case_working_bytes(const struct bench_case *c);

/* True where some buffer asked for huge pages and less than 90 % of it was given any. */
bool case_huge_refused(struct bench_case *c);
