/* The pointer chase. Every line of the set holds the address of the next, in the order of a
 * linear congruential generator of full period: each load waits for the one before it, no
 * prefetcher can guess the order, and the ring is built by one sequential pass. */
#include "harness/base/clock.h"
#include "harness/base/units.h"
#include "harness/measure/levels.h"
#include "harness/measure/levels_internal.h"
#include "harness/measure/text_file.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE_BYTES = 64,
    HUGE_PAGE_BYTES = 2 << 20,
    UNROLL = 8,
    /* A timed piece has to be long against the clock's step (some 30 ns) and short against a
     * time slice, so that one of several is undisturbed: 2,048 loads take 2 us to 0.3 ms. */
    PIECE_LOADS = 2048,
    PIECES = 24,
    /* The warming pass need not walk a larger set to its end: after 64 MiB of lines the caches
     * hold nothing of what building the ring left there. */
    WARM_LINES = 1 << 20,
};

static const int64_t smallest_bytes = KIB(8);
static const int64_t largest_bytes = MIB(256);
static const int64_t fine_bytes = MIB(64); /* up to here two sizes per octave, then one */

/* The ring over `lines` (2^k or 3 * 2^k) goes from line i to (multiplier * i + INCREMENT) mod
 * lines. Hull and Dobell: the period is full where the increment has no factor in common with
 * `lines`, and multiplier - 1 is a multiple of 4 and of every prime factor of `lines`. */
enum { INCREMENT = 7 };

static int64_t ring_multiplier(int64_t lines)
{
    /* The golden section of `lines`, as 12 q + 1; q odd and no multiple of 3 keeps the order
     * from falling apart into short strides. */
    int64_t q = (int64_t)((double)lines * 0.618 / 12) | 1;
    if (q % 3 == 0)
        q += 2;
    return (12 * q + 1) % lines;
}

void latency_ring_build(char *base, int64_t lines)
{
    int64_t multiplier = ring_multiplier(lines), next = INCREMENT % lines;
    for (int64_t i = 0; i < lines; i++) {
        *(void **)(base + i * LINE_BYTES) = base + next * LINE_BYTES;
        next += multiplier;
        next -= next >= lines ? lines : 0;
    }
}

/* Brings the caches to the state that the chase leaves behind, in the chase's order but with
 * computed addresses: these loads do not wait for each other, so it costs a tenth. */
static void ring_warm(const char *base, int64_t lines)
{
    uint32_t multiplier = (uint32_t)ring_multiplier(lines);
    uint64_t line = 0;
    int64_t count = lines < WARM_LINES ? lines : WARM_LINES;
    for (int64_t i = 0; i < count; i++) {
        (void)*(const volatile char *)(base + line * LINE_BYTES);
        line = (multiplier * line + INCREMENT) % (uint64_t)lines;
    }
}

static void **chase(void **at, int64_t loads)
{
    for (int64_t i = 0; i < loads; i += UNROLL) {
        at = *at, at = *at, at = *at, at = *at;
        at = *at, at = *at, at = *at, at = *at;
    }
    __asm__ volatile("" : "+r"(at)); /* the last address counts as used */
    return at;
}

/* The fastest of the pieces: disturbance only ever adds time. */
static double measure_size(char *base, int64_t size_bytes)
{
    latency_ring_build(base, size_bytes / LINE_BYTES);
    ring_warm(base, size_bytes / LINE_BYTES);
    void **at = chase((void **)base, PIECE_LOADS);
    double fastest_seconds = 1;
    for (int i = 0; i < PIECES; i++) {
        double start_seconds = clock_seconds();
        at = chase(at, PIECE_LOADS);
        double elapsed_seconds = clock_seconds() - start_seconds;
        if (elapsed_seconds < fastest_seconds)
            fastest_seconds = elapsed_seconds;
    }
    return fastest_seconds / PIECE_LOADS;
}

static int64_t next_size(int64_t size_bytes)
{
    if (size_bytes >= fine_bytes)
        return size_bytes * 2;
    bool power_of_two = (size_bytes & (size_bytes - 1)) == 0;
    return power_of_two ? size_bytes / 2 * 3 : size_bytes / 3 * 4;
}

struct probe {
    char *base;
    int64_t max_bytes;
    double deadline_seconds;
    double growth_seconds; /* what the last size that was new took */
};

/* Measures point i of the curve, and keeps the smaller of the old and the new time. */
static void measure_point(struct latency_curve *curve, struct probe *probe, int i,
                          int64_t size_bytes)
{
    double start_seconds = clock_seconds();
    double seconds = measure_size(probe->base, size_bytes);
    if (i == curve->count) {
        curve->size_bytes[i] = size_bytes;
        curve->seconds[i] = seconds;
        curve->count++;
        probe->growth_seconds = clock_seconds() - start_seconds;
    } else if (seconds < curve->seconds[i]) {
        curve->seconds[i] = seconds;
    }
}

/* All sizes once, ascending. A new size is taken to need twice what the last new one needed,
 * since its pages are cleared first, and in a virtual machine found; one that will not fit into
 * the time left ends the curve. Sizes that came before cost little the second time. */
static void measure_round(struct latency_curve *curve, struct probe *probe)
{
    int64_t size_bytes = smallest_bytes;
    for (int i = 0; size_bytes <= probe->max_bytes && i < LATENCY_CURVE_MAX; i++) {
        double needed_seconds = i == curve->count ? 2 * probe->growth_seconds : 0;
        if (clock_seconds() + needed_seconds > probe->deadline_seconds)
            return;
        measure_point(curve, probe, i, size_bytes);
        size_bytes = next_size(size_bytes);
    }
}

enum status latency_curve_measure(struct latency_curve *curve, int64_t max_bytes,
                                  double budget_seconds)
{
    const double deadline_seconds = clock_seconds() + budget_seconds;
    const size_t mapped_bytes = (size_t)max_bytes + HUGE_PAGE_BYTES;
    char *mapping =
        mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return FAIL(STATUS_NO_MEMORY,
                    "the cache probe found no %lld bytes of memory: free some, or give the cache "
                    "sizes by hand",
                    (long long)mapped_bytes);
    uintptr_t aligned =
        ((uintptr_t)mapping + HUGE_PAGE_BYTES - 1) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
    /* Refused is no error: without huge pages the steps are softer, and still there. */
    madvise((char *)aligned, (size_t)max_bytes, MADV_HUGEPAGE);
    memset(curve, 0, sizeof(*curve));
    struct probe probe = {
        .base = (char *)aligned, .max_bytes = max_bytes, .deadline_seconds = deadline_seconds};
    do
        measure_round(curve, &probe);
    while (clock_seconds() < deadline_seconds - 0.25 * budget_seconds);
    munmap(mapping, mapped_bytes);
    return STATUS_OK;
}

/* A quarter of the memory that is free, at most largest_bytes. */
static int64_t probe_limit(void)
{
    char text[4096];
    text_file_read("/proc/meminfo", text, sizeof(text));
    int64_t quarter_bytes = text_file_kib_value(text, "MemAvailable") / 4;
    return quarter_bytes > 0 && quarter_bytes < largest_bytes ? quarter_bytes : largest_bytes;
}

enum status levels_probe(struct levels *levels, double budget_seconds)
{
    struct latency_curve curve;
    levels_claimed(levels);
    TRY(latency_curve_measure(&curve, probe_limit(), budget_seconds));
    levels_decide(levels, &curve);
    return STATUS_OK;
}
