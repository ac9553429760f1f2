/* How the lanes of a warp meet, for operations that all of them carry out together. */
#pragma once

#include "tests/cuda/emulation/engine.h"

namespace emulation
{

using MeetingBody = std::function<void(Fiber *const *lanes, unsigned mask)>;

/* Waits for all lanes in the mask; the last one runs body(lanes of the warp, mask), which reads
 * what they brought in their fibers and leaves there what they take. */
void meet(WarpOperation operation, unsigned mask, Site site, const MeetingBody &body);

} // namespace emulation
