/* Runs one kernel of seeded_bugs.cu, or its correct twin ("NAME fixed"): prints what came of it.
 * The tests in CMakeLists.txt say what must be printed, by this or by whoever stops the program. */
#include "tests/cuda/kernels/check.h"
#include "tests/cuda/kernels/seeded_bugs.h"

int main(int count, char **words)
{
    const bool is_fixed = count > 2 && strcmp(words[2], "fixed") == 0;
    DeviceArray<float> out(SEEDED_THREADS);
    if (count < 2)
        return 2;
    const uint64_t conflicts = run_seeded_bug(words[1], is_fixed, out.data());
    unsigned wrong = 0;
    for (size_t i = 0; i < SEEDED_THREADS; i++)
        wrong += !(out[i] == 0);
    if (wrong > 0)
        printf("wrong result: %u elements\n", wrong);
    if (conflicts > 0)
        printf("bank conflicts: %lu\n", conflicts);
    if (wrong == 0 && conflicts == 0)
        puts("as it should be");
    fflush(stdout);
    return wrong > 0 || conflicts > 0;
}
