#include "kernels/blas/blas_advice.h"

#include <stdio.h>
#include <string.h>

/* The cores whose kernels use all of an instruction set, by the names of either library: OpenBLAS
 * writes a capital, BLIS does not. Whatever is not listed is older, or generic. */
static const struct {
    const char *isa, *registers, *core;
} fitting[] = {
    {"x86-64-v4", "AVX-512", "SkylakeX"},
    {"x86-64-v4", "AVX-512", "Cooperlake"},
    {"x86-64-v4", "AVX-512", "SapphireRapids"},
    {"x86-64-v4", "AVX-512", "skx"},
    {"x86-64-v4", "AVX-512", "knl"},
    {"x86-64-v4", "AVX-512", "zen4"},
    {"x86-64-v4", "AVX-512", "zen5"},
    {"x86-64-v3", "AVX2", "Haswell"},
    {"x86-64-v3", "AVX2", "Zen"},
    {"x86-64-v3", "AVX2", "haswell"},
    {"x86-64-v3", "AVX2", "zen"},
    {"x86-64-v3", "AVX2", "zen2"},
    {"x86-64-v3", "AVX2", "zen3"},
    {"x86-64-v3", "AVX2", "excavator"},
};

enum { FITTING_COUNT = sizeof(fitting) / sizeof(fitting[0]) };

/* What BLIS 0.9.0 calls them in BLIS_ARCH_TYPE: the order of its list of configurations. */
static const struct {
    const char *isa, *number;
} blis_numbers[] = {{"x86-64-v4", "0 (skx, AVX-512)"}, {"x86-64-v3", "3 (haswell, AVX2)"}};

/* The word behind `key`, up to a comma or the end; false where there is none. */
static bool find_word(const char *text, const char *key, char *word, size_t size)
{
    const char *found = strstr(text, key);
    word[0] = '\0';
    if (found)
        snprintf(word, size, "%.*s", (int)strcspn(found + strlen(key), ", "), found + strlen(key));
    return word[0];
}

/* The variable that chose the core: the last part, if it reads NAME=value. */
static bool find_forced(const char *text, char *variable, size_t size)
{
    const char *equals = strchr(text, '='), *begin = equals;
    variable[0] = '\0';
    while (begin && begin > text && begin[-1] != ' ')
        begin--;
    if (begin)
        snprintf(variable, size, "%.*s", (int)(equals - begin), begin);
    return variable[0];
}

static bool fits(const char *isa, const char *core)
{
    for (int i = 0; i < FITTING_COUNT; i++)
        if (strcmp(fitting[i].isa, isa) == 0 && strcmp(fitting[i].core, core) == 0)
            return true;
    return false;
}

/* "AVX-512"; NULL where nothing is known of the set's cores. */
static const char *registers_of(const char *isa)
{
    for (int i = 0; i < FITTING_COUNT; i++)
        if (strcmp(fitting[i].isa, isa) == 0)
            return fitting[i].registers;
    return NULL;
}

static const char *blis_number(const char *isa)
{
    for (size_t i = 0; i < sizeof(blis_numbers) / sizeof(blis_numbers[0]); i++)
        if (strcmp(blis_numbers[i].isa, isa) == 0)
            return blis_numbers[i].number;
    return NULL;
}

static void advise_generic_blis(const char *isa, char *text, size_t size)
{
    const char *number = blis_number(isa);
    snprintf(text, size,
             "BLIS runs its generic kernels on this processor: %s%s%sinstall another "
             "library",
             number ? "set BLIS_ARCH_TYPE=" : "", number ? number : "", number ? " or " : "");
}

bool blas_advice(const char *implementation, const char *isa, double share_of_fma_ceiling,
                 char *text, size_t size)
{
    char core[32], variable[48];
    text[0] = '\0';
    if (!(share_of_fma_ceiling < BLAS_FAIR_SHARE) || strncmp(implementation, "cuBLAS", 6) == 0)
        return false; /* NVIDIA's have their own reasons, which no core's name tells */
    const bool has_core = find_word(implementation, ", core ", core, sizeof(core));
    const bool forced = find_forced(implementation, variable, sizeof(variable));
    const char *registers = registers_of(isa);
    const bool older = has_core && registers && strcmp(core, "unknown") != 0 && !fits(isa, core);
    if (forced && (older || !registers))
        snprintf(text, size, "unset %s: it forces the kernels of %s", variable, core);
    else if (strncmp(implementation, "BLIS ", 5) == 0 && strcmp(core, "generic") == 0)
        advise_generic_blis(isa, text, size);
    else if (strncmp(implementation, "OpenBLAS ", 9) == 0 && older)
        snprintf(text, size,
                 "OpenBLAS runs the kernels of %s, which do not use this processor's %s: install a "
                 "newer OpenBLAS",
                 core, registers);
    else
        snprintf(text, size, "unknown cause");
    return true;
}
