/* The instruction sets that the CPU kernels are compiled for. Every kernel source is compiled
 * once per set, with that set's flags, and picked here at run time: one build must judge a whole
 * fleet, so -march=native is never used. */
#pragma once

#include "harness/base/status.h"

#include <stddef.h>

enum { ISA_MAX = 4 };

struct isa {
    const char *name; /* "x86-64-v4", "armv8-neon" */
    int vector_bytes; /* width of the registers that its kernels use */
    int (*supported)(void);
};

/* Something that a processor has or lacks. */
struct isa_feature {
    const char *name; /* "AVX512-BF16" */
    int (*supported)(void);
};

C_API_BEGIN

/* Those of this build's architecture, best last; NULL name ends the list. */
extern const struct isa isa_table[];

/* The dot instructions that kernels use, in the order of ISA_DOT_LIST; NULL name ends the list. */
extern const struct isa_feature isa_dots[];

/* What would compute faster than any kernel here does, and is not used by one: "AMX-BF16". */
extern const struct isa_feature isa_unmeasured[];

/* Those of a table that this processor has, with commas; "" where there are none. */
const char *isa_list_features(const struct isa_feature *table, char *list, size_t size);

/* Index into isa_table: of the best that this processor supports, or of the one named. An
 * unknown name, or one that this processor lacks, is STATUS_BAD_ARGUMENT with the list. */
enum status isa_choose(const char *name, int *index);

C_API_END
