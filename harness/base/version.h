/* Which source this program was built from, and how. */
#pragma once

#include "harness/base/c_api.h"

#include <stdbool.h>

C_API_BEGIN
const char *version_text(void);     /* "0.1.0" */
const char *version_commit(void);   /* "3f2a91c04d5e", "-dirty" behind it where sources differ */
const char *version_compiler(void); /* name, version and flags */
bool version_has_cuda(void);        /* built with the cuda backend */
bool version_has_mpi(void);         /* MPI was found when it was built */
C_API_END
