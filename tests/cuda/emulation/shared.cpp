/* Shared memory: an arena per block, in which every array is surrounded by forbidden bytes and
 * filled with NaN (all bits set, in every floating-point format). */
#include "tests/cuda/emulation/engine.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace emulation
{

enum { ARENA_BYTES = 256 << 10, MARGIN_BYTES = 64, DYNAMIC_ALIGNMENT = 128, NAN_BYTE = 0xff };

struct Array {
    const void *key;
    char *begin;
    size_t bytes;
};

static char *arenas, *arena;
static size_t used_bytes[shared_places]; /* what a place's last block left filled */
static size_t end, static_bytes, dynamic_bytes;
static std::vector<Array> arrays;
static char *dynamic_begin;

static void make_arenas()
{
    void *memory = mmap(nullptr, static_cast<size_t>(ARENA_BYTES) * shared_places,
                        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("emulation: no memory for shared memory");
        abort();
    }
    arenas = static_cast<char *>(memory);
}

static char *take(size_t bytes, size_t alignment, unsigned place)
{
    const size_t begin = (end + MARGIN_BYTES + alignment - 1) / alignment * alignment;
    if (begin + bytes + MARGIN_BYTES > ARENA_BYTES)
        fail("the block's shared arrays do not fit any GPU's shared memory", {});
    sanitizer::allow(arena + begin, bytes);
    memset(arena + begin, NAN_BYTE, bytes);
    end = begin + bytes;
    used_bytes[place] = end;
    return arena + begin;
}

static unsigned current_place;

void begin_shared(unsigned place, size_t bytes)
{
    const sanitizer::Unwatched unwatched;
    if (!arenas)
        make_arenas();
    arena = arenas + static_cast<size_t>(place) * ARENA_BYTES;
    current_place = place;
    sanitizer::forbid(arena, ARENA_BYTES);
    arrays.clear();
    end = static_bytes = 0;
    dynamic_bytes = bytes;
    dynamic_begin = bytes ? take(bytes, DYNAMIC_ALIGNMENT, place) : nullptr;
    if (bytes > counters.shared_bytes)
        counters.shared_bytes = bytes;
}

void *shared_array(const void *key, size_t bytes, size_t alignment)
{
    const sanitizer::Unwatched unwatched;
    for (const Array &array : arrays)
        if (array.key == key)
            return array.begin;
    static_bytes += bytes;
    if (static_bytes > most_static_shared_bytes || static_bytes + dynamic_bytes > most_shared_bytes)
        fail("a block has at most 48 KiB of static shared memory, 227 KiB in all", {});
    if (static_bytes + dynamic_bytes > counters.shared_bytes)
        counters.shared_bytes = static_bytes + dynamic_bytes;
    arrays.push_back({key, take(bytes, alignment < 16 ? 16 : alignment, current_place), bytes});
    return arrays.back().begin;
}

void *dynamic_shared()
{
    return dynamic_begin;
}

uintptr_t shared_offset(const void *address, Site site)
{
    const auto *byte = static_cast<const char *>(address);
    if (byte < arena || byte >= arena + ARENA_BYTES)
        fail("an address that is not in the block's shared memory", site);
    return static_cast<uintptr_t>(byte - arena);
}

} // namespace emulation
