/* Switching stacks by the C library, for processors without a file of their own. */
#include "tests/cuda/emulation/fiber.h"

#include <ucontext.h>

namespace emulation
{

static ucontext_t *context_of(Machine &machine)
{
    if (!machine.state)
        machine.state = new ucontext_t(); /* lives as long as the test */
    return static_cast<ucontext_t *>(machine.state);
}

void machine_prepare(Machine &machine, char *stack, size_t bytes, void (*entry)())
{
    ucontext_t *context = context_of(machine);
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = bytes;
    context->uc_link = nullptr;
    makecontext(context, entry, 0);
}

void machine_switch(Machine &from, Machine &to)
{
    swapcontext(context_of(from), context_of(to));
}

} // namespace emulation
