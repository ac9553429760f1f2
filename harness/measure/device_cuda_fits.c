/* Does the code in this program run on a GPU of some compute capability? Asked at the start, since
 * the runtime says only "no kernel image" and only when something is launched. */
#include "harness/measure/device_cuda_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One word of CMAKE_CUDA_ARCHITECTURES: 90, 90-real, 90-virtual, 90a, 90a-real. */
struct architecture {
    int capability;
    bool is_exact; /* 90a: for 9.0 alone */
    bool has_code, has_ptx;
};

static bool is_equal(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

static struct architecture read_word(const char *word, size_t length)
{
    char *end;
    const long capability = strtol(word, &end, 10);
    const bool is_exact = *end == 'a' || *end == 'f';
    const char *kind = end + (is_exact ? 1 : 0);
    const size_t left = (size_t)(word + length - kind);
    return (struct architecture){
        .capability = (int)capability,
        .is_exact = is_exact,
        .has_code = !is_equal(kind, left, "-virtual"),
        .has_ptx = !is_equal(kind, left, "-real"),
    };
}

static bool runs(const struct architecture *a, int capability)
{
    if (a->is_exact)
        return a->capability == capability;
    const bool is_same_family = a->capability / 10 == capability / 10;
    return (a->has_code && is_same_family && a->capability <= capability) ||
           (a->has_ptx && a->capability <= capability);
}

enum status device_cuda_fits(const char *architectures, int capability)
{
    char known[160] = "";
    for (const char *word = architectures; *word;) {
        const size_t length = strcspn(word, " ");
        const struct architecture a = read_word(word, length);
        if (runs(&a, capability))
            return STATUS_OK;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%.*s", used ? " " : "",
                 (int)strcspn(word, " -"), word);
        word += length + strspn(word + length, " ");
    }
    return FAIL(STATUS_SKIP,
                "built for %s, this GPU is %d.%d; build with -D CMAKE_CUDA_ARCHITECTURES=%d", known,
                capability / 10, capability % 10, capability);
}
