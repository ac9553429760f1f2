/* Memory by whole pages: aligned to 2 MiB, on huge pages where they are asked for and granted. */
#pragma once

#include "harness/measure/device.h"

C_API_BEGIN

/* Untouched memory of at least size_bytes, so that the first thread to write a page places it.
 * Released with pages_release and the same size. */
enum status pages_take(size_t size_bytes, enum pages pages, void **memory);
void pages_release(void *memory, size_t size_bytes);

/* Fraction of [memory, memory + size) that /proc/self/smaps shows on huge pages; -1: not known. */
double pages_huge_fraction(const void *memory, size_t size_bytes);

/* MemAvailable; 0: not known. */
int64_t pages_available_bytes(void);

C_API_END
