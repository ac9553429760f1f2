/* The instruction sets that the CPU kernels are compiled for. Every kernel source is compiled
 * once per set, with that set's flags, and picked here at run time: one build must judge a whole
 * fleet, so -march=native is never used. */
#pragma once

#include "harness/base/status.h"

enum { ISA_MAX = 4 };

struct isa {
    const char *name; /* "x86-64-v4", "armv8-neon" */
    int vector_bytes; /* width of the registers that its kernels use */
    int (*supported)(void);
};

C_API_BEGIN

/* Those of this build's architecture, best last; NULL name ends the list. */
extern const struct isa isa_table[];

/* Index into isa_table: of the best that this processor supports, or of the one named. An
 * unknown name, or one that this processor lacks, is STATUS_BAD_ARGUMENT with the list. */
enum status isa_choose(const char *name, int *index);

C_API_END
