/* Rung 1: accumulators in registers. Compiled for dot instructions, too: there, r stands for the
 * weights. Rung 0 loads and stores an accumulator around each lane's
 * multiply-add and so waits for the store buffer; here the chains are vectors that never leave
 * their registers, enough of them that the units and not their latency limit.
 *
 * Traffic: one element per 2 m operations; the accumulators are stored once per unit.
 * What limits it next: for large m the FMA units themselves, for small m the level that the
 * values lie in. */
#include "kernels/intensity/intensity_cpu.h"
#include "vector.h"

enum { GROUP = 4, GROUPS = VECTOR_CHAINS / GROUP };

/* Each step is opaque: so the compiler keeps the order in which they are written (gcc 12 likes to
 * emit chain after chain, which waits for every single result), and never finds that chains which
 * begin alike and are fed alike could be computed once. */
KERNEL_INLINE vector step(vector acc, vector r, vector v)
{
    return vector_opaque(vector_step(acc, r, v));
}

/* One step of the four chains of a group, written out so that every index is a constant: only
 * then do the accumulators live in registers. `acc` has room for the most groups there are; those
 * that an instruction set lacks are never touched and vanish. */
KERNEL_INLINE void feed_group(vector *acc, int group, vector v0, vector v1, vector v2, vector v3,
                              vector r)
{
    vector *chain = acc + GROUP * group;
    chain[0] = step(chain[0], r, v0);
    chain[1] = step(chain[1], r, v1);
    chain[2] = step(chain[2], r, v2);
    chain[3] = step(chain[3], r, v3);
}

/* A value that is used more than once is loaded here and now: neither again for each use, which
 * would cost bandwidth, nor long before, which would cost registers. */
KERNEL_INLINE vector load_once(const vector *value)
{
    return *(const volatile vector *)value;
}

/* m = 1 and 2: a group takes the next four, or two, value vectors. */
KERNEL_INLINE const vector *feed_values(vector *acc, int group, int m, const vector *v, vector r)
{
    if (m == 1) {
        feed_group(acc, group, v[0], v[1], v[2], v[3], r);
        return v + 4;
    }
    const vector first = load_once(v), second = load_once(v + 1);
    feed_group(acc, group, first, first, second, second, r);
    return v + 2;
}

KERNEL_INLINE const vector *feed_ring_of_values(vector *acc, int m, const vector *v, vector r)
{
    v = feed_values(acc, 0, m, v, r);
    v = feed_values(acc, 1, m, v, r);
    v = feed_values(acc, 2, m, v, r);
    if (GROUPS > 3)
        v = feed_values(acc, 3, m, v, r);
    return v;
}

/* m >= 4: one value vector goes to whole groups, m / 4 of them, beginning at `first`. Groups do
 * not depend on one another, so whole rounds come first and the rest behind them. */
KERNEL_INLINE void feed_one_value(vector *acc, int first, int m, const vector *value, vector r)
{
    const vector v = load_once(value);
    const int rounds = m / GROUP / GROUPS, rest = m / GROUP % GROUPS;
    for (int round = 0; round < rounds; round++) {
        feed_group(acc, 0, v, v, v, v, r);
        feed_group(acc, 1, v, v, v, v, r);
        feed_group(acc, 2, v, v, v, v, r);
        if (GROUPS > 3)
            feed_group(acc, 3, v, v, v, v, r);
    }
    if (rest > 0)
        feed_group(acc, first % GROUPS, v, v, v, v, r);
    if (rest > 1)
        feed_group(acc, (first + 1) % GROUPS, v, v, v, v, r);
    if (rest > 2)
        feed_group(acc, (first + 2) % GROUPS, v, v, v, v, r);
}

/* As many value vectors as there are groups: after them the first group is group 0 again. */
KERNEL_INLINE const vector *feed_ring_of_groups(vector *acc, int m, const vector *v, vector r)
{
    const int turns = m / GROUP;
    feed_one_value(acc, 0, m, v, r);
    feed_one_value(acc, turns % GROUPS, m, v + 1, r);
    feed_one_value(acc, 2 * turns % GROUPS, m, v + 2, r);
    if (GROUPS > 3)
        feed_one_value(acc, 3 * turns % GROUPS, m, v + 3, r);
    return v + GROUPS;
}

KERNEL_INLINE void begin_group(vector *acc, int group)
{
    vector *chain = acc + GROUP * group;
    chain[0] = chain[1] = chain[2] = chain[3] = (vector){0};
}

KERNEL_INLINE void end_group(const vector *acc, int group, element *out)
{
    const vector *chain = acc + GROUP * group;
    element *to = out + GROUP * group * VECTOR_LANES;
    vector_store_pair(to, chain[0], chain[1]);
    vector_store_pair(to + 2 * VECTOR_LANES, chain[2], chain[3]);
}

KERNEL_INLINE void run_unit(const struct intensity_part *part, int m)
{
    const vector r = *(const vector_unaligned *)&part->factor;
    const vector *v = part->values, *end = v + part->vectors;
    vector acc[INTENSITY_MAX_CHAINS];
    begin_group(acc, 0);
    begin_group(acc, 1);
    begin_group(acc, 2);
    if (GROUPS > 3)
        begin_group(acc, 3);

    while (v < end)
        v = m < GROUP ? feed_ring_of_values(acc, m, v, r) : feed_ring_of_groups(acc, m, v, r);

    end_group(acc, 0, part->out);
    end_group(acc, 1, part->out);
    end_group(acc, 2, part->out);
    if (GROUPS > 3)
        end_group(acc, 3, part->out);
    KERNEL_BARRIER();
}

#define FOR_EACH_FMAS(X)                                                                           \
    X(0, 1)                                                                                        \
    X(1, 2)                                                                                        \
    X(2, 4)                                                                                        \
    X(3, 8)                                                                                        \
    X(4, 16)                                                                                       \
    X(5, 32)                                                                                       \
    X(6, 64)                                                                                       \
    X(7, 128)                                                                                      \
    X(8, 256)                                                                                      \
    X(9, 512)                                                                                      \
    X(10, 1024)                                                                                    \
    X(11, 2048)                                                                                    \
    X(12, 4096)

#define DEFINE(log2_m, m)                                                                          \
    static void loop_##m(const struct intensity_part *part)                                        \
    {                                                                                              \
        run_unit(part, m);                                                                         \
    }
FOR_EACH_FMAS(DEFINE)

#define ROW(log2_m, m) [log2_m] = loop_##m,
const struct intensity_loops KERNEL_SYMBOL(intensity_loops) = {
    .chains = VECTOR_CHAINS,
    .lanes = VECTOR_LANES,
    .loop = {FOR_EACH_FMAS(ROW)},
};
