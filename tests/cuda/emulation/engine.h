/* Inside the emulation: the fibers of the running block, and what its files share. */
#pragma once

#include "tests/cuda/emulation/emulation.h"
#include "tests/cuda/emulation/fiber.h"
#include "tests/cuda/emulation/sanitizer.h"

#include <vector>

namespace emulation
{

enum class State { ready, at_barrier, at_warp_operation, exited };

struct Copy {
    void *to;
    const void *from;
    int bytes; /* 16, or 0 for zeros */
};

struct Fiber : Thread {
    Machine machine;
    sanitizer::Context shadow;
    State state;
    Site site; /* where it waits */
    char *stack;

    /* What it brings to a warp's operation, and takes from it. */
    uint64_t value, result;
    int argument, width;
    uint32_t fragment[8];
    float sums[4];
    unsigned char row[16];

    std::vector<Copy> open_copies; /* since the last commit */
    std::vector<std::vector<Copy>> copy_groups;
};

constexpr unsigned warp_lanes = 32;

/* The fibers of the block that runs, by linear thread index. */
extern std::vector<Fiber *> &fibers;
extern unsigned thread_count;

inline Fiber *self()
{
    return static_cast<Fiber *>(current);
}

/* The current thread stops here until somebody makes it ready again. */
void wait_in(State state, Site site);

void run_copies(std::vector<Copy> &copies);

/* A block's shared memory: fresh, in one of several places, since blocks run at the same time. */
constexpr unsigned shared_places = 16;
void begin_shared(unsigned place, size_t dynamic_bytes);
uintptr_t shared_offset(const void *address, Site site); /* fails outside shared memory */

void begin_warps();
void begin_banks();
void end_banks(); /* counts what never became a whole warp's access */

double value_of(Narrow type, uint16_t bits);
uint16_t round_to(Narrow type, double value); /* to nearest, ties to even */

} // namespace emulation
