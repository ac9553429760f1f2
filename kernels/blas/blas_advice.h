/* Why a BLAS library is slow: from what is recorded of it, in whatever process. */
#pragma once

#include "harness/base/c_api.h"

#include <stdbool.h>
#include <stddef.h>

C_API_BEGIN

/* Below this share of the multiply-add ceiling a large product has a cause that can be named. */
#define BLAS_FAIR_SHARE 0.6

/* The likely cause and the remedy as one sentence, or "unknown cause". `implementation` is what
 * blas_describe wrote ("OpenBLAS 0.3.21 pthreads, core Cooperlake"), `isa` the best instruction
 * set of the processor ("x86-64-v4"). False, and an empty text, where the share is fair. */
bool blas_advice(const char *implementation, const char *isa, double share_of_fma_ceiling,
                 char *text, size_t size);

C_API_END
