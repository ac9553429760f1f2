#include "tests/cuda/emulation/schedule.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace emulation
{

Schedule Schedule::from_environment()
{
    const char *text = getenv("RIDGE_EMULATION_SCHEDULE");
    if (!text || strcmp(text, "forward") == 0)
        return {Order::forward, 0};
    if (strcmp(text, "reverse") == 0)
        return {Order::reverse, 0};
    if (strncmp(text, "random:", 7) == 0)
        return {Order::random, strtoull(text + 7, nullptr, 10)};
    fprintf(stderr, "RIDGE_EMULATION_SCHEDULE=%s: say forward, reverse or random:SEED\n", text);
    abort();
}

/* Below `bound`; Knuth's MMIX generator, whose high bits are the good ones. */
static unsigned draw(uint64_t &state, unsigned bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33) % bound;
}

void Schedule::arrange(std::vector<unsigned> &numbers, unsigned count)
{
    numbers.resize(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (order == Order::reverse)
        std::reverse(numbers.begin(), numbers.end());
    if (order == Order::random)
        for (unsigned i = count; i > 1; i--)
            std::swap(numbers[i - 1], numbers[draw(state, i)]);
}

} // namespace emulation
