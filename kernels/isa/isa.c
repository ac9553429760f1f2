#include "kernels/isa/isa.h"

#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 128 };

/* "x86-64-v2, x86-64-v3": what this processor can run. */
static const char *list_supported(char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (const struct isa *isa = isa_table; isa->name; isa++)
        if (isa->supported() && used < LIST_BYTES)
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", used ? ", " : "",
                                     isa->name);
    return used ? list : "none";
}

const char *isa_list_features(const struct isa_feature *table, char *list, size_t size)
{
    list[0] = '\0';
    for (const struct isa_feature *f = table; f->name; f++) {
        const size_t used = strlen(list);
        if (f->supported())
            snprintf(list + used, size - used, "%s%s", used ? ", " : "", f->name);
    }
    return list;
}

static enum status choose_best(int *index)
{
    int best = -1;
    for (int i = 0; isa_table[i].name; i++)
        if (isa_table[i].supported())
            best = i;
    if (best < 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "this processor lacks even %s, the least that the kernels are built for",
                    isa_table[0].name);
    *index = best;
    return STATUS_OK;
}

static enum status choose_named(const char *name, int *index)
{
    char list[LIST_BYTES];
    for (int i = 0; isa_table[i].name; i++) {
        if (strcmp(isa_table[i].name, name) != 0)
            continue;
        if (!isa_table[i].supported())
            return FAIL(STATUS_BAD_ARGUMENT, "this processor lacks instruction set '%s'; it has %s",
                        name, list_supported(list));
        *index = i;
        return STATUS_OK;
    }
    return FAIL(STATUS_BAD_ARGUMENT, "unknown instruction set '%s'; this processor has %s", name,
                list_supported(list));
}

enum status isa_choose(const char *name, int *index)
{
    return name ? choose_named(name, index) : choose_best(index);
}
