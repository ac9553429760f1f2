/* Rung 0: the definition, one element per instruction, plain stores.
 *
 * Traffic per element: as stream.h counts it, plus the line that each plain store reads first.
 * What limits it next: a scalar load or store moves 4 or 8 bytes where the core could move 16 to
 * 64, and read waits for the one sum (3 or 4 cycles per element). */
#include "element.h"
#include "kernels/isa/symbol.h"
#include "kernels/stream/stream_cpu.h"

#define PASSES(part) for (int64_t pass = 0; pass < (part)->passes; pass++)

/* The body of a loop that writes c[i]: `value` says of what. */
#define DEFINE(op, value)                                                                          \
    static void op(const struct stream_part *part)                                                 \
    {                                                                                              \
        const element *a = part->a, *b = part->b;                                                  \
        element *c = part->c;                                                                      \
        const element s = (element)part->scalar;                                                   \
        (void)a, (void)b, (void)s;                                                                 \
        PASSES(part)                                                                               \
        {                                                                                          \
            for (int64_t i = 0; i < part->count; i++)                                              \
                c[i] = (value);                                                                    \
            KERNEL_BARRIER();                                                                      \
        }                                                                                          \
    }

DEFINE(write_loop, s)
DEFINE(copy_loop, a[i])
DEFINE(scale_loop, s *a[i])
DEFINE(add_loop, a[i] + b[i])
DEFINE(triad_loop, a[i] + s * b[i])

static void read_loop(const struct stream_part *part)
{
    const element *a = part->a;
    element sum = 0;
    PASSES(part)
    {
        sum = 0;
        for (int64_t i = 0; i < part->count; i++)
            sum += a[i];
        __asm__ volatile("" : "+m"(sum) : : "memory"); /* the pass's result is looked at */
    }
    *(element *)part->c = sum;
}

const struct stream_loops KERNEL_SYMBOL(stream_loops) = {
    .loop = {
        [STREAM_READ] = {[STREAM_PLAIN] = read_loop},
        [STREAM_WRITE] = {[STREAM_PLAIN] = write_loop},
        [STREAM_COPY] = {[STREAM_PLAIN] = copy_loop},
        [STREAM_SCALE] = {[STREAM_PLAIN] = scale_loop},
        [STREAM_ADD] = {[STREAM_PLAIN] = add_loop},
        [STREAM_TRIAD] = {[STREAM_PLAIN] = triad_loop},
    }};
