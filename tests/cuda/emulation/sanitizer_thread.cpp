/* The thread sanitizer takes every fiber for a thread: with the order that barriers make, and no
 * other, it finds races in shared memory. The engine is built without it (its own bookkeeping would
 * look like races) and reports what it does on behalf of a thread. */
#include "tests/cuda/emulation/sanitizer.h"

extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void __tsan_read_range(const void *begin, unsigned long bytes);
void __tsan_write_range(void *begin, unsigned long bytes);
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
}

namespace emulation::sanitizer
{

enum { NO_ORDER = 1 }; /* a switch orders nothing: threads of a block run at the same time */

void adopt(Context &caller)
{
    caller.thread = __tsan_get_current_fiber();
}

void create(Context &fiber, void *, size_t)
{
    fiber.thread = __tsan_create_fiber(0);
}

void leave(Context &, const Context &to)
{
    __tsan_switch_to_fiber(to.thread, NO_ORDER);
}

void arrive(Context &, Context &)
{
}
void forbid(const void *, size_t)
{
}
void allow(const void *, size_t)
{
}

void release(void *token)
{
    __tsan_release(token);
}

void acquire(void *token)
{
    __tsan_acquire(token);
}

void reads(const void *begin, size_t bytes)
{
    __tsan_read_range(begin, bytes);
}

void writes(void *begin, size_t bytes)
{
    __tsan_write_range(begin, bytes);
}

/* The library's functions are watched even where their caller is not instrumented. */
void look_away()
{
    __tsan_ignore_thread_begin();
}

void look_again()
{
    __tsan_ignore_thread_end();
}

} // namespace emulation::sanitizer
