/* Operations of a warp: every lane that the mask names brings its value, and the last one to arrive
 * carries the operation out for all. */
#include "tests/cuda/emulation/warp.h"

namespace emulation
{

struct Meeting {
    WarpOperation operation;
    unsigned mask, arrived;
    Site site;
    unsigned serial;
};

enum { MOST_WARPS = 32, TOKENS = 64 };

static std::vector<Meeting> meetings[MOST_WARPS];
static unsigned next_serial;
static char tokens[MOST_WARPS][TOKENS];

void begin_warps()
{
    const sanitizer::Unwatched unwatched;
    for (auto &warp : meetings)
        warp.clear();
}

static unsigned lanes_of(unsigned warp)
{
    const unsigned first = warp * warp_lanes, left = thread_count - first;
    return left >= warp_lanes ? 0xffffffffu : (1u << left) - 1;
}

static Meeting &find_meeting(WarpOperation operation, unsigned mask, Site site)
{
    const sanitizer::Unwatched unwatched;
    auto &warp = meetings[self()->warp];
    for (Meeting &meeting : warp) {
        if ((meeting.mask & mask) == 0)
            continue;
        if (meeting.mask != mask || meeting.operation != operation ||
            meeting.site.line != site.line || meeting.site.serial != site.serial)
            fail("lanes of one warp meet in different operations", site);
        return meeting;
    }
    warp.push_back({operation, mask, 0, site, next_serial++});
    return warp.back();
}

void meet(WarpOperation operation, unsigned mask, Site site, const MeetingBody &body)
{
    const Fiber *fiber = self();
    const unsigned bit = 1u << fiber->lane, there = lanes_of(fiber->warp);
    if (!(mask & bit))
        fail("the mask does not name the lane that calls", site);
    if (mask != 0xffffffffu && (mask & ~there))
        fail("the mask names lanes that the block does not have", site);
    mask &= there;

    /* Only __syncwarp orders memory. */
    const bool orders = operation == WarpOperation::sync;
    Meeting &meeting = find_meeting(operation, mask, site);
    char *token = &tokens[fiber->warp][meeting.serial % TOKENS];
    meeting.arrived |= bit;
    if (orders)
        sanitizer::release(token);
    if (meeting.arrived == mask) {
        auto &warp = meetings[fiber->warp];
        warp.erase(warp.begin() + (&meeting - warp.data()));
        counters.warp_operations++;
        Fiber *const *lanes = &fibers[fiber->warp * warp_lanes];
        body(lanes, mask);
        for (unsigned lane = 0; lane < warp_lanes; lane++)
            if (mask >> lane & 1)
                lanes[lane]->state = State::ready;
    } else {
        wait_in(State::at_warp_operation, site);
    }
    if (orders)
        sanitizer::acquire(token);
}

void sync_warp(unsigned mask, Site site)
{
    meet(WarpOperation::sync, mask, site, [](Fiber *const *, unsigned) {});
}

static unsigned votes_of(Fiber *const *lanes, unsigned mask)
{
    unsigned votes = 0;
    for (unsigned lane = 0; lane < warp_lanes; lane++)
        if (mask >> lane & 1 && lanes[lane]->value)
            votes |= 1u << lane;
    return votes;
}

/* The lane whose value a lane takes. */
static int source_of(WarpOperation operation, int lane, int argument, int width)
{
    const int first = lane / width * width;
    int source = lane;
    switch (operation) {
    case WarpOperation::index: return first + (argument & (width - 1));
    case WarpOperation::up: source = lane - argument; break;
    case WarpOperation::down: source = lane + argument; break;
    default: source = lane ^ argument; break;
    }
    /* An exchange may read segments below its own; the others keep to theirs. */
    const int lowest = operation == WarpOperation::exchange ? 0 : first;
    return source < lowest || source >= first + width ? lane : source;
}

static void shuffle_lanes(WarpOperation operation, Fiber *const *lanes, unsigned mask, Site site)
{
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        if (!(mask >> lane & 1))
            continue;
        Fiber *fiber = lanes[lane];
        const int source =
            source_of(operation, static_cast<int>(lane), fiber->argument, fiber->width);
        if (!(mask >> source & 1))
            fail("a shuffle reads a lane that the mask does not name", site);
        fiber->result = lanes[source]->value;
    }
}

uint64_t exchange(WarpOperation operation, unsigned mask, uint64_t value, int argument, int width,
                  Site site)
{
    Fiber *fiber = self();
    fiber->value = value;
    fiber->argument = argument;
    fiber->width = width;
    meet(operation, mask, site, [=](Fiber *const *lanes, unsigned present) {
        const unsigned votes = votes_of(lanes, present);
        uint64_t verdict;
        switch (operation) {
        case WarpOperation::ballot: verdict = votes; break;
        case WarpOperation::any: verdict = votes != 0; break;
        case WarpOperation::all: verdict = votes == present; break;
        default: shuffle_lanes(operation, lanes, present, site); return;
        }
        for (unsigned lane = 0; lane < warp_lanes; lane++)
            if (present >> lane & 1)
                lanes[lane]->result = verdict;
    });
    return fiber->result;
}

} // namespace emulation
