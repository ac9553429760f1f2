/* A bench describes one experiment. The runner does the rest: it walks the axes, opens the
 * device, allocates the state, checks the answer, warms up, samples, stops, records, frees. */
#pragma once

#include "harness/measure/axis.h"
#include "harness/measure/device.h"
#include "harness/measure/kernel.h"

#include <stdbool.h>

enum { BENCH_MAX_AXES = 8 };

/* What one run does, by the experiment's own counting rule. Zero where not meaningful. */
struct work {
    double bytes;      /* that the program asks for, through memory */
    double bus_bytes;  /* that the hardware moves for it: with write-allocate */
    double link_bytes; /* over the busiest link */
    double operations;
};

struct bench_case {
    struct device *device;
    const struct kernel *kernel; /* the implementation under test */
    void *state;                 /* the bench's struct: axes set, the rest zero */
    struct buffer_list *buffers; /* freed by the runner */
    double amplitude;            /* inputs are multiplied by it: 1, or 0 for --fill zero */
    bool check_all;              /* compare every element, not a spread of blocks */
    int64_t checked_unit;        /* the unit that was run before check() */
};

/* How far the answer was from the truth, and how far it may be. */
struct check {
    double max_error, tolerance;
};

enum caches { CACHES_WARM, CACHES_COLD };

struct bench {
    const char *name;     /* "bench_vector_add", what the user types */
    const char *question; /* what the experiment answers, in one sentence */
    const char *counting; /* what bytes and operations mean here, in one sentence */
    enum family family;   /* every implementation of it is a variant */
    int method_version;   /* raised whenever numbers stop being comparable with older ones */
    struct axis axes[BENCH_MAX_AXES];
    const char *const *accumulators; /* what each choice of axis dtype is summed in; NULL: itself */
    enum caches caches;              /* how each sample finds them */
    size_t state_bytes;

    /* Is this combination of values a case? STATUS_SKIP: no, and silently left out (a store kind
     * where nothing is stored); STATUS_BAD_ARGUMENT with a sentence: it cannot be. */
    enum status (*admit)(const void *state, const struct device_info *info);
    /* Can this kernel do it on this machine? STATUS_SKIP with a sentence: no, and left out, or told
     * where nothing else was asked for. NULL: every kernel can, everywhere. */
    enum status (*supports)(const void *state, const struct kernel *kernel);
    double (*buffer_bytes)(const void *state, const struct device_info *info); /* all buffers */
    enum status (*setup)(struct bench_case *); /* inputs and outputs, once per case */
    enum status (*run)(struct bench_case *, int64_t first_unit, int64_t unit_count); /* timed */
    enum status (*check)(struct bench_case *, struct check *); /* after run(c, checked_unit, 1) */
    struct work (*work)(const void *state); /* of one run; pure, so that a test can check it */
    int64_t (*units)(const void *state);    /* of one run, after setup(); NULL: 1 */

    /* NULL, or: the record's `implementation`; and which level of memory bounds the kernel, also
     * asked before setup(). */
    void (*describe)(const struct bench_case *c, char *text, size_t size);
    bool (*traffic)(const struct bench_case *c, struct kernel_traffic *traffic);
};

/* ---- For setup() and check(). Inputs and answers are pure functions of an index, so a bench
 * holds no host arrays, frees nothing, and every rank and every run agree. */

enum element {
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_BF16,
    ELEMENT_INT8,
    ELEMENT_INT32,
    ELEMENT_F16,
    ELEMENT_E4M3,
    ELEMENT_E5M2,
    ELEMENT_COUNT
};
extern const char *const element_names[]; /* "f32", "f64", NULL: what most benches compute in */
size_t element_bytes(enum element element);

/* Writes elements first .. first + count - 1 to out; called block by block, from any thread. */
typedef void (*element_values)(const void *state, int64_t first, int64_t count, double *out);

/* A device buffer that lives as long as the case, poisoned with NaN by the threads that will use
 * it. `pointer` is the address of the pointer. */
enum status case_output(struct bench_case *c, enum element element, int64_t count, void *pointer);

/* The same, with the elements set to `values`. */
enum status case_input(struct bench_case *c, enum element element, int64_t count,
                       element_values values, void *pointer);

/* Memory of the device that a kernel works in; it counts for no working set, and is not poisoned.
 * Memory of the host for the bench's own use, zeroed. Both live as long as the case. */
enum status case_workspace(struct bench_case *c, size_t size_bytes, void *pointer);
enum status case_notes(struct bench_case *c, size_t size_bytes, void *pointer);

/* Compares a buffer with `expected`: every element where c->check_all, else one block in 16, the
 * first and the last always. The error of an element is |got - want| / max(scale, |want|). A wrong
 * one (NaN included) gives STATUS_WRONG_ANSWER and names the element. */
enum status case_expect(struct bench_case *c, enum element element, int64_t count,
                        const void *buffer, element_values expected, double scale, double tolerance,
                        struct check *check);

/* Index-pure, random-looking numbers: splitmix64's finaliser of (stream, index). Uniform in
 * [-1, 1), on a grid of 2^-10, so that sums of two stay exact even in f32 and f16. */
static inline double value_at(uint64_t stream, int64_t index)
{
    uint64_t z = (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15) + stream;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)((z >> 53) & 2047) / 1024 - 1;
}
