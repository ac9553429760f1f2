/* Rung 1: whole vectors. Rung 0 moves 4 or 8 bytes per load or store and adds to one sum; here
 * each moves a register's width, and read adds to enough sums that loads and not additions limit.
 *
 * Traffic per element: as stream.h counts it; plain stores read each line before they overwrite
 * it (bus bytes: one more array), non-temporal stores do not.
 * What limits it next: the level that the arrays lie in. One core cannot fill the memory's pipe:
 * use all. */
#include "kernels/stream/stream_cpu.h"
#include "vector.h"

enum {
    LINE_BYTES = 64,
    LINE_ELEMENTS = LINE_BYTES / (int)sizeof(element),

    /* Vectors per iteration. The sums of read: two additions per cycle of latency 3 or 4 need
     * 6 to 8. With 8 vectors an iteration is 2, 4 or 8 whole lines. */
    UNROLL = 8,
    STEP = UNROLL * VECTOR_LANES,
};

/* Elements before the first line boundary, at most `count`: non-temporal stores want full lines,
 * and a vector that crosses a line costs two accesses. */
KERNEL_INLINE int64_t count_head(const element *array, int64_t count)
{
    const uintptr_t past = (uintptr_t)array % LINE_BYTES;
    const int64_t head = (int64_t)((LINE_BYTES - past) % LINE_BYTES / sizeof(element));
    return head < count ? head : count;
}

KERNEL_INLINE vector apply(enum stream_op op, vector a, vector b, vector s)
{
    switch (op) {
    case STREAM_WRITE: return s;
    case STREAM_SCALE: return s * a;
    case STREAM_ADD: return a + b;
    case STREAM_TRIAD: return a + s * b;
    case STREAM_COPY:
    case STREAM_READ:
    case STREAM_OP_COUNT: break;
    }
    return a;
}

/* One vector of the result. An array that the op does not read may be NULL: it is not touched. */
KERNEL_INLINE vector map_vector(enum stream_op op, const element *a, const element *b, int64_t i,
                                vector s)
{
    const vector from_a = op != STREAM_WRITE ? vector_load(a + i) : s;
    const vector from_b = op == STREAM_ADD || op == STREAM_TRIAD ? vector_load(b + i) : s;
    return apply(op, from_a, from_b, s);
}

KERNEL_INLINE void map_pair(enum stream_op op, enum stream_store store, const element *a,
                            const element *b, element *c, int64_t i, vector s)
{
    const vector first = map_vector(op, a, b, i, s);
    const vector second = map_vector(op, a, b, i + VECTOR_LANES, s);
    if (store == STREAM_NONTEMPORAL)
        vector_store_pair_nontemporal(c + i, first, second);
    else
        vector_store_pair(c + i, first, second);
}

/* Elements begin .. end-1, one at a time: the same arithmetic, of which one lane is kept. */
KERNEL_INLINE void map_elements(enum stream_op op, const element *a, const element *b, element *c,
                                int64_t begin, int64_t end, vector s)
{
    for (int64_t i = begin; i < end; i++) {
        const vector from_a = op != STREAM_WRITE ? vector_broadcast(a[i]) : s;
        const vector from_b = op == STREAM_ADD || op == STREAM_TRIAD ? vector_broadcast(b[i]) : s;
        c[i] = apply(op, from_a, from_b, s)[0];
    }
}

KERNEL_INLINE void map_pass(enum stream_op op, enum stream_store store, const element *a,
                            const element *b, element *c, int64_t count, vector s)
{
    int64_t i = count_head(c, count);
    map_elements(op, a, b, c, 0, i, s);
    for (; i + STEP <= count; i += STEP) {
        map_pair(op, store, a, b, c, i, s);
        map_pair(op, store, a, b, c, i + 2 * VECTOR_LANES, s);
        map_pair(op, store, a, b, c, i + 4 * VECTOR_LANES, s);
        map_pair(op, store, a, b, c, i + 6 * VECTOR_LANES, s);
    }
    for (; i + 2 * VECTOR_LANES <= count; i += 2 * VECTOR_LANES)
        map_pair(op, STREAM_PLAIN, a, b, c, i, s);
    map_elements(op, a, b, c, i, count, s);
}

KERNEL_INLINE void map(enum stream_op op, enum stream_store store, const struct stream_part *part)
{
    const vector s = vector_broadcast((element)part->scalar);
    for (int64_t pass = 0; pass < part->passes; pass++) {
        map_pass(op, store, part->a, part->b, part->c, part->count, s);
        KERNEL_BARRIER();
    }
    if (store == STREAM_NONTEMPORAL)
        vector_store_fence();
}

/* The sum of the lanes, by halves: the additions of one half do not wait for one another. */
KERNEL_INLINE element sum_lanes(vector sums)
{
    element lane[VECTOR_LANES];
    vector_unaligned *all = (vector_unaligned *)lane;
    *all = sums;
    for (int half = VECTOR_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
}

/* Elements begin .. end-1 into one sum, a whole step at a time into eight. */
KERNEL_INLINE element sum_steps(const element *a, int64_t begin, int64_t end)
{
    vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
    vector sum4 = {0}, sum5 = {0}, sum6 = {0}, sum7 = {0};
    const vector *from = (const vector *)(a + begin);
    for (int64_t i = begin; i < end; i += STEP, from += UNROLL) {
        sum0 += from[0];
        sum1 += from[1];
        sum2 += from[2];
        sum3 += from[3];
        sum4 += from[4];
        sum5 += from[5];
        sum6 += from[6];
        sum7 += from[7];
    }
    return sum_lanes(((sum0 + sum1) + (sum2 + sum3)) + ((sum4 + sum5) + (sum6 + sum7)));
}

KERNEL_INLINE element sum_elements(const element *a, int64_t begin, int64_t end)
{
    element sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += a[i];
    return sum;
}

static void read_loop(const struct stream_part *part)
{
    const element *a = part->a;
    const int64_t head = count_head(a, part->count);
    const int64_t steps_end = head + (part->count - head) / STEP * STEP;
    element sum = 0;
    for (int64_t pass = 0; pass < part->passes; pass++) {
        sum = sum_elements(a, 0, head) + sum_steps(a, head, steps_end) +
              sum_elements(a, steps_end, part->count);
        __asm__ volatile("" : "+m"(sum) : : "memory"); /* the pass's result is looked at */
    }
    *(element *)part->c = sum;
}

#define DEFINE(name, op)                                                                           \
    static void name##_plain(const struct stream_part *part)                                       \
    {                                                                                              \
        map(op, STREAM_PLAIN, part);                                                               \
    }                                                                                              \
    static void name##_nontemporal(const struct stream_part *part)                                 \
    {                                                                                              \
        map(op, STREAM_NONTEMPORAL, part);                                                         \
    }
#define ROW(name)                                                                                  \
    {                                                                                              \
        [STREAM_PLAIN] = name##_plain, [STREAM_NONTEMPORAL] = name##_nontemporal                   \
    }

DEFINE(write, STREAM_WRITE)
DEFINE(copy, STREAM_COPY)
DEFINE(scale, STREAM_SCALE)
DEFINE(add, STREAM_ADD)
DEFINE(triad, STREAM_TRIAD)

const struct stream_loops KERNEL_SYMBOL(stream_loops) = {
    .loop = {
        /* Read stores nothing worth mentioning: one loop for both. */
        [STREAM_READ] = {[STREAM_PLAIN] = read_loop, [STREAM_NONTEMPORAL] = read_loop},
        [STREAM_WRITE] = ROW(write),
        [STREAM_COPY] = ROW(copy),
        [STREAM_SCALE] = ROW(scale),
        [STREAM_ADD] = ROW(add),
        [STREAM_TRIAD] = ROW(triad),
    }};
