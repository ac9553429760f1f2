/* The address sanitizer must know which stack is in use, and which bytes of the arena of shared
 * memory belong to an array. */
#include "tests/cuda/emulation/sanitizer.h"

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace emulation::sanitizer
{

void adopt(Context &)
{
}

void create(Context &fiber, void *stack, size_t bytes)
{
    fiber.stack_bottom = stack;
    fiber.stack_bytes = bytes;
}

void leave(Context &from, const Context &to)
{
    __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_bytes);
}

void arrive(Context &to, Context &from)
{
    __sanitizer_finish_switch_fiber(to.fake_stack, &from.stack_bottom, &from.stack_bytes);
}

void forbid(const void *begin, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(begin, bytes);
}

void allow(const void *begin, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
}

void release(void *)
{
}
void acquire(void *)
{
}
void reads(const void *, size_t)
{
}
void writes(void *, size_t)
{
}
void look_away()
{
}
void look_again()
{
}

} // namespace emulation::sanitizer
