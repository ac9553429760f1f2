#include "harness/measure/pages.h"

#include "harness/base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Below this a buffer fits the first-level TLB on 4 KiB pages, and a huge page would be waste. */
enum { SMALLEST_HUGE_BYTES = 128 << 10 };
static const size_t HUGE_PAGE_BYTES = 2 << 20;

static size_t round_up(size_t size_bytes)
{
    return (size_bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

/* mmap aligns to 4 KiB only: take 2 MiB more, then give back both ends. */
enum status pages_take(size_t size_bytes, enum pages pages, void **memory)
{
    size_t wanted = round_up(size_bytes), taken = wanted + HUGE_PAGE_BYTES;
    char *start = mmap(NULL, taken, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return FAIL(STATUS_NO_MEMORY, "no %zu bytes of memory: %s", wanted, strerror(errno));
    size_t before = (HUGE_PAGE_BYTES - (size_t)start % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before)
        munmap(start, before);
    if (HUGE_PAGE_BYTES - before)
        munmap(start + before + wanted, HUGE_PAGE_BYTES - before);
    *memory = start + before;
    int is_huge = pages == PAGES_HUGE && size_bytes >= SMALLEST_HUGE_BYTES;
    madvise(*memory, wanted, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* a wish; may fail */
    return STATUS_OK;
}

void pages_release(void *memory, size_t size_bytes)
{
    munmap(memory, round_up(size_bytes));
}

double pages_huge_fraction(const void *memory, size_t size_bytes)
{
    if (size_bytes < SMALLEST_HUGE_BYTES)
        return -1;
    FILE *file = fopen("/proc/self/smaps", "re");
    if (!file)
        return -1;
    unsigned long long from = (unsigned long long)(size_t)memory, to = from + size_bytes;
    unsigned long long begin, end, kib;
    double present = 0, huge = 0;
    int inside = 0;
    char line[512];
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "%llx-%llx ", &begin, &end) == 2)
            inside = begin < to && end > from;
        else if (inside && sscanf(line, "Rss: %llu kB", &kib) == 1)
            present += (double)kib;
        else if (inside && sscanf(line, "AnonHugePages: %llu kB", &kib) == 1)
            huge += (double)kib;
    }
    fclose(file);
    return present > 0 ? huge / present : -1;
}

int64_t pages_available_bytes(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return 0;
    char line[128];
    long long kib = 0;
    while (fgets(line, sizeof(line), file) && sscanf(line, "MemAvailable: %lld kB", &kib) != 1)
        ;
    fclose(file);
    return KIB(kib);
}
