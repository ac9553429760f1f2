/* Bank conflicts: the accesses of a warp's lanes by one instruction are put together again, from
 * the n-th time that each lane came by its place in the source. Shared memory has 32 banks of 4
 * bytes and serves 128 bytes at a time: all lanes with 4 bytes each, a half of them with 8, a
 * quarter with 16. Within such a group, different words of one bank wait for one another. */
#include "tests/cuda/emulation/engine.h"

#include <map>
#include <set>

namespace emulation
{

enum { BANKS = 32, WORD_BYTES = 4 };

struct Access {
    unsigned lanes;
    size_t bytes;
    uintptr_t address[warp_lanes];
};

struct Place {
    unsigned passes[warp_lanes]; /* how often each lane came by */
    std::map<unsigned, Access> open;
};

static std::map<std::pair<unsigned, std::pair<int, int>>, Place> places; /* warp, line, serial */

static unsigned conflicts_of(const Access &access, unsigned first, unsigned lanes)
{
    std::set<uintptr_t> words[BANKS];
    size_t most = 1;
    for (unsigned lane = first; lane < first + lanes; lane++) {
        if (!(access.lanes >> lane & 1))
            continue;
        const uintptr_t begin = access.address[lane] / WORD_BYTES;
        const uintptr_t last = (access.address[lane] + access.bytes - 1) / WORD_BYTES;
        for (uintptr_t word = begin; word <= last; word++)
            words[word % BANKS].insert(word);
    }
    for (const auto &bank : words)
        most = bank.size() > most ? bank.size() : most;
    return static_cast<unsigned>(most - 1);
}

static void count(const Access &access)
{
    const unsigned group = access.bytes <= WORD_BYTES
                               ? warp_lanes
                               : static_cast<unsigned>(BANKS * WORD_BYTES / access.bytes);
    counters.shared_accesses++;
    for (unsigned first = 0; first < warp_lanes; first += group)
        counters.shared_conflicts += conflicts_of(access, first, group);
}

void begin_banks()
{
    const sanitizer::Unwatched unwatched;
    places.clear();
}

void count_shared(const void *address, size_t bytes, Site site)
{
    const sanitizer::Unwatched unwatched;
    const Fiber *fiber = self();
    const unsigned lane = fiber->lane;
    check_address(address, bytes, site);
    Place &place = places[{fiber->warp, {site.line, site.serial}}];
    const unsigned pass = place.passes[lane]++;
    Access &access = place.open[pass];
    access.lanes |= 1u << lane;
    access.bytes = bytes;
    access.address[lane] = shared_offset(address, site);
    if (access.lanes == 0xffffffffu) {
        count(access);
        place.open.erase(pass);
    }
}

void end_banks()
{
    const sanitizer::Unwatched unwatched;
    for (const auto &[key, place] : places)
        for (const auto &[pass, access] : place.open)
            count(access);
    places.clear();
}

} // namespace emulation
