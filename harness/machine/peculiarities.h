/* What about this machine would lead a reader of its numbers astray: each one a code for programs
 * and one sentence for people, that says what is so and what was done about it. */
#pragma once

#include "harness/machine/facts.h"

enum { PECULIARITIES_MAX = 24 };

struct peculiarity {
    const char *code; /* static */
    char sentence[320];
};

struct peculiarities {
    int count;
    struct peculiarity list[PECULIARITIES_MAX];
};

C_API_BEGIN

/* Pure: looks at the facts only. */
void peculiarities_find(const struct facts *facts, struct peculiarities *found);

C_API_END
