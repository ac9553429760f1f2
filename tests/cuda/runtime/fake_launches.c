/* Launches, which can fail as every call of the runtime can: the linker puts these in front of the
 * kernels' launch functions (--wrap, CMakeLists.txt), whose emulation knows of no failure. */
#include "kernels/cuda/flush.h"
#include "kernels/intensity/intensity_cuda.h"
#include "kernels/stream/stream_cuda.h"
#include "tests/cuda/runtime/fake.h"

#define WRAP(name, parameters, arguments)                                                          \
    int __real_##name parameters;                                                                  \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        const cudaError_t error = fake_call("kernel launch", cudaSuccess);                         \
        if (error)                                                                                 \
            return (int)error;                                                                     \
        fake_launched();                                                                           \
        return __real_##name arguments;                                                            \
    }

#define WRAP_STREAM(name)                                                                          \
    WRAP(name,                                                                                     \
         (const struct stream_args *args, const struct cuda_grid *grid, int64_t passes,            \
          void *stream),                                                                           \
         (args, grid, passes, stream))
#define WRAP_INTENSITY(name)                                                                       \
    WRAP(name,                                                                                     \
         (const struct intensity_cuda_args *args, int64_t first_unit, int64_t unit_count,          \
          void *stream),                                                                           \
         (args, first_unit, unit_count, stream))

WRAP_STREAM(stream_cuda_0_scalar)
WRAP_STREAM(stream_cuda_1_vector)
WRAP_STREAM(stream_cuda_2_unrolled)
WRAP_INTENSITY(intensity_cuda_0_reference)
WRAP_INTENSITY(intensity_cuda_1_chains)
WRAP(cuda_flush_caches,
     (void *buffer, int64_t bytes, uint32_t word, const struct cuda_grid *grid, void *stream),
     (buffer, bytes, word, grid, stream))
