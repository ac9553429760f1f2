/* No sanitizer listens. */
#include "tests/cuda/emulation/sanitizer.h"

namespace emulation::sanitizer
{

void adopt(Context &)
{
}
void create(Context &, void *, size_t)
{
}
void leave(Context &, const Context &)
{
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
