/* A stack and the registers that belong to it. CMake picks fiber_x86_64.cpp (35 ns a switch) or
 * fiber_ucontext.cpp (portable; a system call per switch, sixty times slower). */
#pragma once

#include <cstddef>

namespace emulation
{

struct Machine {
    void *state; /* the stack pointer, or a ucontext_t */
};

/* `entry` is called by the first switch to it, and must not return. */
void machine_prepare(Machine &machine, char *stack, size_t bytes, void (*entry)());
void machine_switch(Machine &from, Machine &to);

} // namespace emulation
