/* Switching stacks by hand: the registers that a call preserves (System V ABI) go to the old stack,
 * and come from the new one. */
#include "tests/cuda/emulation/fiber.h"

#include <cstdint>

extern "C" void emulation_switch_stack(void **save, void *to);

asm(R"(
.text
.globl emulation_switch_stack
.type emulation_switch_stack, @function
emulation_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emulation_switch_stack, . - emulation_switch_stack
)");

namespace emulation
{

enum { PRESERVED_REGISTERS = 6 };

void machine_prepare(Machine &machine, char *stack, size_t bytes, void (*entry)())
{
    auto **top = reinterpret_cast<void **>(reinterpret_cast<uintptr_t>(stack + bytes) &
                                           ~static_cast<uintptr_t>(15));
    *--top = nullptr; /* entry's return address; and the alignment that a call leaves */
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < PRESERVED_REGISTERS; i++)
        *--top = nullptr;
    machine.state = top;
}

void machine_switch(Machine &from, Machine &to)
{
    emulation_switch_stack(&from.state, to.state);
}

} // namespace emulation
