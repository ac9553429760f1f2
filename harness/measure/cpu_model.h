/* The processor's name, as it calls itself. */
#pragma once

#include <stddef.h>

/* "AMD EPYC 9654 96-Core Processor", from /proc/cpuinfo; "unknown" where it is not said. */
void cpu_model(char *model, size_t size);
