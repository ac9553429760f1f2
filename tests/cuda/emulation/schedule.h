/* In which order blocks run, and the threads of a block among those that can. */
#pragma once

#include <cstdint>
#include <vector>

namespace emulation
{

struct Schedule {
    enum class Order { forward, reverse, random } order;
    uint64_t state;

    /* From RIDGE_EMULATION_SCHEDULE: forward (also if unset), reverse, or random:SEED. */
    static Schedule from_environment();

    /* Arranges 0 .. count-1. */
    void arrange(std::vector<unsigned> &numbers, unsigned count);
};

} // namespace emulation
