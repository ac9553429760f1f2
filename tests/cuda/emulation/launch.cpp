/* Runs a grid: blocks one after the other, the threads of a block as fibers in turn. */
#include "tests/cuda/emulation/engine.h"
#include "tests/cuda/emulation/schedule.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace emulation
{

enum { STACK_BYTES = 256 << 10, GUARD_BYTES = 4 << 10, MOST_THREADS = 1024 };

Thread *current;
uint3 block_index;
dim3 block_shape, grid_shape;
Counters counters;
std::vector<Fiber *> &fibers = *new std::vector<Fiber *>();
unsigned thread_count;

static Machine main_machine;
static sanitizer::Context main_shadow;
static const std::function<void()> *kernel;
static unsigned alive, at_barrier;
static unsigned place; /* of the block, among those that run at the same time */
static char launch_token, done_token, barrier_tokens[shared_places][2];

/* Blocks take turns with two sets of fibers, kept until the process ends: a fiber is a thread to
 * the sanitizer, and what one thread does is ordered, also if it was for two blocks that are not.
 */
static std::vector<Fiber *> *const sets = new std::vector<Fiber *>[2];

static void to_main()
{
    Fiber *fiber = self();
    sanitizer::leave(fiber->shadow, main_shadow);
    machine_switch(fiber->machine, main_machine);
    sanitizer::arrive(fiber->shadow, main_shadow);
}

static void to_fiber(Fiber *fiber)
{
    current = fiber;
    sanitizer::leave(main_shadow, fiber->shadow);
    machine_switch(main_machine, fiber->machine);
    sanitizer::arrive(main_shadow, fiber->shadow);
    current = nullptr;
}

/* A fiber runs kernel after kernel, one thread of each block. */
static void fiber_entry()
{
    sanitizer::arrive(self()->shadow, main_shadow);
    for (;;) {
        Fiber *fiber = self();
        sanitizer::acquire(&launch_token);
        (*kernel)();
        for (auto &group : fiber->copy_groups)
            run_copies(group);
        run_copies(fiber->open_copies);
        {
            const sanitizer::Unwatched unwatched;
            fiber->copy_groups.clear();
        }
        sanitizer::release(&done_token);
        fiber->state = State::exited;
        alive--;
        to_main();
    }
}

static void make_fibers(std::vector<Fiber *> &set, unsigned count)
{
    const sanitizer::Unwatched unwatched;
    while (set.size() < count) {
        void *memory = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            perror("emulation: no memory for a thread's stack");
            abort();
        }
        mprotect(memory, GUARD_BYTES, PROT_NONE);
        auto *fiber = new Fiber();
        fiber->stack = static_cast<char *>(memory) + GUARD_BYTES;
        machine_prepare(fiber->machine, fiber->stack, STACK_BYTES, fiber_entry);
        sanitizer::create(fiber->shadow, fiber->stack, STACK_BYTES);
        set.push_back(fiber);
    }
}

void wait_in(State state, Site site)
{
    Fiber *fiber = self();
    fiber->state = state;
    fiber->site = site;
    to_main();
}

/* Two tokens in turn: with one, a fast thread's arrival at the next barrier would be seen by a slow
 * one that leaves this barrier, and would hide a race between them. */
void sync_block(Site site)
{
    char *token = &barrier_tokens[place][counters.barriers % 2];
    sanitizer::release(token);
    at_barrier++;
    wait_in(State::at_barrier, site);
    sanitizer::acquire(token);
}

static void open_barrier()
{
    if (alive < thread_count)
        fail("some threads of the block exited while others wait in __syncthreads", {});
    for (unsigned i = 1; i < thread_count; i++)
        if (fibers[i]->site.line != fibers[0]->site.line ||
            fibers[i]->site.serial != fibers[0]->site.serial)
            fail("threads of one block wait in different __syncthreads", fibers[i]->site);
    for (unsigned i = 0; i < thread_count; i++)
        fibers[i]->state = State::ready;
    at_barrier = 0;
    counters.barriers++;
}

static void run_block(size_t dynamic_bytes, Schedule &schedule)
{
    std::vector<unsigned> order;
    alive = thread_count;
    at_barrier = 0;
    begin_shared(place, dynamic_bytes);
    begin_warps();
    begin_banks();
    for (unsigned i = 0; i < thread_count; i++)
        fibers[i]->state = State::ready;
    while (alive > 0) {
        bool has_run = false;
        schedule.arrange(order, thread_count);
        for (unsigned i : order)
            if (fibers[i]->state == State::ready) {
                has_run = true;
                to_fiber(fibers[i]);
            }
        if (alive > 0 && at_barrier == alive)
            open_barrier();
        else if (!has_run)
            fail("deadlock: no thread of the block can run", {});
    }
    end_banks();
    counters.blocks++;
}

static void number_threads(dim3 block)
{
    for (unsigned i = 0; i < thread_count; i++) {
        Fiber *fiber = fibers[i];
        fiber->index = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
        fiber->linear = i;
        fiber->lane = i % warp_lanes;
        fiber->warp = i / warp_lanes;
    }
}

static void check_shape(dim3 grid, dim3 block, size_t dynamic_bytes)
{
    const uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
    const bool is_grid =
        grid.x && grid.y && grid.z && grid.x <= 0x7fffffff && grid.y <= 0xffff && grid.z <= 0xffff;
    if (!is_grid || threads == 0 || threads > MOST_THREADS || dynamic_bytes > most_shared_bytes)
        fail("no GPU takes this launch: its grid, block or shared memory is out of bounds", {});
}

/* Blocks have no order among themselves, so their threads are not told of one another, until their
 * places in shared memory are used again. */
void launch(dim3 grid, dim3 block, size_t dynamic_bytes, const std::function<void()> &body)
{
    std::vector<unsigned> order;
    Schedule schedule = Schedule::from_environment();
    check_shape(grid, block, dynamic_bytes);
    thread_count = block.x * block.y * block.z;
    counters = Counters();
    block_shape = block;
    grid_shape = grid;
    kernel = &body;
    sanitizer::adopt(main_shadow);
    schedule.arrange(order, grid.x * grid.y * grid.z);
    unsigned started = 0;
    for (unsigned number : order) {
        place = started++ % shared_places;
        if (place == 0) {
            sanitizer::acquire(&done_token);
            sanitizer::release(&launch_token);
        }
        block_index = {number % grid.x, number / grid.x % grid.y, number / (grid.x * grid.y)};
        std::vector<Fiber *> &set = sets[place % 2];
        make_fibers(set, thread_count);
        fibers = set;
        number_threads(block);
        run_block(dynamic_bytes, schedule);
    }
    sanitizer::acquire(&done_token);
}

uint64_t now_ns()
{
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(since_start).count());
}

} // namespace emulation
