/* The processor's name, as it calls itself. */
#pragma once

#include "harness/base/c_api.h"

#include <stddef.h>
#include <stdio.h>

C_API_BEGIN

/* "AMD EPYC 9654 96-Core Processor", from /proc/cpuinfo; "Arm implementer 0x41 part 0xd4f" where
 * only numbers are said, as Arm's processors do; "unknown" where nothing is. */
void cpu_model(char *model, size_t size);

/* The same of a text in the format of /proc/cpuinfo. */
void cpu_model_read(FILE *cpuinfo, char *model, size_t size);

C_API_END
