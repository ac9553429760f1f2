/* cp.async: a copy may take place at any time from its issue to the wait for its group. Late (as
 * late as it may; the destination holds NaN until then) shows who reads too early, early shows who
 * overwrites what others still read: RIDGE_EMULATION_COPIES=late or early. */
#include "tests/cuda/emulation/engine.h"

#include <cstdlib>

namespace emulation
{

enum { COPY_BYTES = 16, NAN_BYTE = 0xff };

static bool is_early()
{
    const char *text = getenv("RIDGE_EMULATION_COPIES");
    return text && strcmp(text, "early") == 0;
}

static void run_copy(const Copy &copy)
{
    memset(copy.to, 0, COPY_BYTES);
    if (copy.bytes > 0) {
        sanitizer::reads(copy.from, static_cast<size_t>(copy.bytes));
        memcpy(copy.to, copy.from, static_cast<size_t>(copy.bytes));
    }
    sanitizer::writes(copy.to, COPY_BYTES);
}

void run_copies(std::vector<Copy> &copies)
{
    for (const Copy &copy : copies)
        run_copy(copy);
    copies.clear();
}

void copy_async(void *to, const void *from, int bytes, Site site)
{
    check_address(to, COPY_BYTES, site);
    check_address(from, COPY_BYTES, site);
    (void)shared_offset(to, site);
    if (bytes != 0 && bytes != COPY_BYTES)
        fail("cp_async16 copies 16 bytes, or 0", site);
    sanitizer::writes(to, COPY_BYTES);
    memset(to, NAN_BYTE, COPY_BYTES);
    const Copy copy = {to, from, bytes};
    if (is_early()) {
        run_copy(copy);
    } else {
        const sanitizer::Unwatched unwatched;
        self()->open_copies.push_back(copy);
    }
    counters.async_copies++;
}

void commit_copies()
{
    const sanitizer::Unwatched unwatched;
    Fiber *fiber = self();
    fiber->copy_groups.push_back(std::move(fiber->open_copies));
    fiber->open_copies.clear();
}

void wait_copies(int groups_left)
{
    auto &groups = self()->copy_groups;
    while (static_cast<int>(groups.size()) > groups_left) {
        run_copies(groups.front());
        const sanitizer::Unwatched unwatched;
        groups.erase(groups.begin());
    }
}

} // namespace emulation
