/* The backends of every build. The cuda one is that of device_cuda.c, or, in a build without CUDA,
 * that of device_cuda_none.c: CMake picks. */
#include "harness/measure/backend.h"

const struct backend *const backends[] = {
    &cpu_backend,
    &cuda_backend,
    &fake_backend,
    NULL,
};
