/* The backends that this build has. */
#include "harness/measure/backend.h"

const struct backend *const backends[] = {
    &cpu_backend,
    &fake_backend,
    NULL,
};
