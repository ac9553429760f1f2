/* What the engine tells the sanitizer that the test is built with; CMake picks the file that says
 * it: sanitizer_none.cpp, sanitizer_address.cpp or sanitizer_thread.cpp. */
#pragma once

#include <cstddef>

namespace emulation::sanitizer
{

struct Context {
    void *fake_stack, *thread;
    const void *stack_bottom;
    size_t stack_bytes;
};

/* The operating system's thread that launches; a fiber that is about to exist. */
void adopt(Context &caller);
void create(Context &fiber, void *stack, size_t bytes);

/* Around each switch of stacks, on the side that leaves and on the side that arrives. */
void leave(Context &from, const Context &to);
void arrive(Context &to, Context &from);

void forbid(const void *begin, size_t bytes);
void allow(const void *begin, size_t bytes);

/* What happened before release(token) is seen after acquire(token). */
void release(void *token);
void acquire(void *token);

/* Accesses that the engine does on behalf of the current thread. */
void reads(const void *begin, size_t bytes);
void writes(void *begin, size_t bytes);

/* Between the two, what the engine keeps for itself is no access of the current thread: lists that
 * grow, memory that is filled. No switch of stacks lies between them. */
void look_away();
void look_again();

struct Unwatched {
    Unwatched()
    {
        look_away();
    }
    ~Unwatched()
    {
        look_again();
    }
};

} // namespace emulation::sanitizer
