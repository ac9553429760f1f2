/* How a kernel's mistake is told: the sentence, the thread, and where all the others are. */
#include "tests/cuda/emulation/engine.h"

#include <cstdio>
#include <cstdlib>

namespace emulation
{

static bool is_same_place(const Fiber *a, const Fiber *b)
{
    return a->state == b->state &&
           (a->state == State::ready || a->state == State::exited ||
            (a->site.line == b->site.line && a->site.serial == b->site.serial));
}

static void print_place(const Fiber *fiber, unsigned count)
{
    static const char *const words[] = {"ready", "in __syncthreads", "in a warp's operation",
                                        "exited"};
    fprintf(stderr, "emulation:   %u threads, first %u: %s", count, fiber->linear,
            words[static_cast<int>(fiber->state)]);
    if (fiber->state == State::at_barrier || fiber->state == State::at_warp_operation)
        fprintf(stderr, " at %s:%d", fiber->site.file, fiber->site.line);
    fputc('\n', stderr);
}

static void print_places()
{
    for (unsigned i = 0; i < thread_count; i++) {
        unsigned before = 0, count = 0;
        for (unsigned j = 0; j < thread_count; j++) {
            const bool is_same = is_same_place(fibers[i], fibers[j]);
            before += is_same && j < i;
            count += is_same;
        }
        if (before == 0)
            print_place(fibers[i], count);
    }
}

void fail(const char *sentence, Site site)
{
    fprintf(stderr, "emulation: %s", sentence);
    if (site.file)
        fprintf(stderr, " at %s:%d", site.file, site.line);
    fprintf(stderr, "\nemulation:   in block (%u, %u, %u)", block_index.x, block_index.y,
            block_index.z);
    if (current)
        fprintf(stderr, ", thread (%u, %u, %u)", current->index.x, current->index.y,
                current->index.z);
    fputc('\n', stderr);
    if (fibers.size() >= thread_count)
        print_places();
    fflush(nullptr);
    abort();
}

void check_address(const void *address, size_t alignment, Site site)
{
    if (reinterpret_cast<uintptr_t>(address) % alignment != 0)
        fail("a misaligned address: a vector's must be a multiple of its size", site);
}

} // namespace emulation
