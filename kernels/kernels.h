/* Which ladders each device has. */
#pragma once

#include "harness/measure/kernel.h"

C_API_BEGIN

extern const struct kernel_set cpu_kernels;
extern const struct kernel_set cuda_kernels; /* in builds with CUDA */

/* Chooses the instruction set of all CPU kernels, before any of them is launched. NULL: the best
 * that this processor supports. isa_choose says what can fail. */
enum status kernels_cpu_choose(const char *isa_name);

/* Index into isa_table of the chosen one, and its name. */
int kernels_cpu_isa(void);
const char *kernels_cpu_isa_name(void);

/* Has the processor the dot instruction of that row of isa_dots? Known since kernels_cpu_choose: to
 * ask the processor itself takes microseconds in a virtual machine, which launches cannot spare. */
int kernels_cpu_has_dot(int index);

C_API_END
