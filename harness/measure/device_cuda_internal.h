/* The state of a CUDA device, shared by device_cuda*.c. Handles stand here by the names of their
 * structs, so that this header needs none of CUDA's. */
#pragma once

#include "harness/measure/backend.h"
#include "harness/measure/device_cuda.h"
#include "kernels/cuda/clock_stamp.h"
#include "kernels/cuda/latch.h"

#include <stdatomic.h>

/* In host memory that the device sees: by what the host and the GPU signal each other. */
struct cuda_signals {
    struct cuda_latch latch;
    struct cuda_clock_stamp before, after;
};

struct cuda {
    int ordinal;
    struct CUstream_st *stream;
    struct CUevent_st *started, *stopped;
    struct cuda_grid grid;
    void *flushed; /* NULL until the first flush */
    struct cuda_signals *signals, *signals_on_device;
    bool latch_works;   /* until it times out; false from the start where it would hang */
    bool is_latched;    /* the sample being timed began behind the latch */
    bool was_unlatched; /* some sample was not */
    int queued;         /* launches behind the closed latch */
    double core_clock_hz;
    double most_seconds; /* that anything queued may take */
    char work[120];      /* the kernel launched last, and its size */
    atomic_bool is_lost; /* a sticky error: nothing works any more in this process */
    atomic_bool is_hung; /* something never ended: calls that wait for it must not be made */
};

/* Where the times come from: SOURCE_measured with the CUDA runtime, SOURCE_emulated with the fake
 * one of the tests. A symbol, so that what is linked decides, and nothing else can. */
extern const enum source cuda_runtime_source;

/* CMAKE_CUDA_ARCHITECTURES of this build, separated by blanks: "75-real 90-real 120". */
extern const char *const cuda_built_architectures;

C_API_BEGIN

/* STATUS_OK for error 0; else STATUS_DEVICE with a sentence naming the call, the device and, where
 * the device is lost, the kernel that was launched last. */
enum status device_cuda_check(struct device *d, int error, const char *call);
#define CUDA_TRY(d, call) TRY(device_cuda_check((d), (int)(call), #call))

/* Which device `name` ("cuda", "cuda:1", "cuda:0000:17:00.0") means: STATUS_SKIP with cause and
 * remedy where there is none, STATUS_BAD_ARGUMENT for a name that is
 * none. */
enum status device_cuda_find(const char *name, int *ordinal);
void device_cuda_list(device_visit visit, void *arg);

/* Model ("NVIDIA H200") and facts of a GPU, without opening it: first those that measuring needs,
 * then those for people, which stay zero where they are not told. */
enum status device_cuda_facts(int ordinal, char *model, size_t size, struct device_facts *facts);
void device_cuda_more_facts(int ordinal, struct device_facts *facts);

/* Fills what is known of the GPU: model, instruction set, caches. Not the memory. Refuses one that
 * this build has no code for (device_cuda_fits). */
enum status device_cuda_describe(struct device *d);

/* STATUS_SKIP unless code for one of `architectures` runs on a device of that capability (90 for
 * 9.0): machine code for the same major number and no larger minor one, or PTX for any older. */
enum status device_cuda_fits(const char *architectures, int capability);

/* Opening the device failed: why, where the error code tells. */
enum status device_cuda_refused(const struct cuda *cuda, int error, const char *call);

/* Would a latch hang here? NULL, or the variable of the environment that says so. */
const char *device_cuda_latch_obstacle(void);

/* Opens the latch if it is closed, then waits until all that is queued has ended. */
enum status device_cuda_settle(struct device *d);

enum status device_cuda_clock_start(struct device *d);
enum status device_cuda_clock_stop(struct device *d, double *elapsed_seconds);

C_API_END
