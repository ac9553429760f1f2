/* Kernels with one mistake each: does the emulation, or the sanitizer that listens, say so? Run with
 * the name of one bug; CMake knows which words must come. A kernel whose mistake shows in its result
 * alone prints "a wrong result". */
#include "kernels/cuda/port.cuh"
#include "tests/cuda/kernels/trial.h"

#include <cmath>

enum { THREADS = 64 };

/* The sum of a block's neighbours, by way of shared memory. */
static __global__ void missing_barrier(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS]);
    shared_store(&values[threadIdx.x], from[threadIdx.x]);
    to[threadIdx.x] = shared_load(&values[(threadIdx.x + 33) % THREADS]);
}

static __global__ void missing_warp_barrier(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS]);
    shared_store(&values[threadIdx.x], from[threadIdx.x]);
    to[threadIdx.x] = shared_load(&values[threadIdx.x ^ 1]); /* lockstep is no promise */
}

static __global__ void divergent_barrier(const float *from, float *to)
{
    if (threadIdx.x < 40)
        __syncthreads();
    to[threadIdx.x] = from[threadIdx.x];
}

static __global__ void barriers_in_two_places(const float *from, float *to)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        __syncthreads();
    to[threadIdx.x] = from[threadIdx.x];
}

static __global__ void past_shared(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS]);
    values[threadIdx.x + 1] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = values[threadIdx.x];
}

static __global__ void past_global(const float *from, float *to)
{
    to[threadIdx.x + 1] = from[threadIdx.x];
}

static __global__ void uninitialised_shared(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS]);
    if (threadIdx.x != 17)
        shared_store(&values[threadIdx.x], from[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = shared_load(&values[threadIdx.x]);
}

static __global__ void lanes_that_never_come(const float *from, float *to)
{
    float value = from[threadIdx.x];
    if (threadIdx.x % 32 < 20)
        value = __shfl_down_sync(0xffffffffu, value, 1);
    to[threadIdx.x] = value;
}

static __global__ void misaligned_vector(const float *from, float *to)
{
    struct Four {
        float lane[4];
    };
    const Four four = load16(reinterpret_cast<const Four *>(from + 1));
    to[threadIdx.x] = four.lane[0];
}

static __global__ void column_of_a_tile(const float *from, float *to)
{
    CUDA_SHARED(float, tile, [32][32]); /* no padding: a column is one bank */
    shared_store(&tile[threadIdx.x % 32][0], from[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = shared_load(&tile[threadIdx.x % 32][0]);
}

/* Waits for one group too few: the last copy is still on its way. */
static __global__ void a_group_too_few(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS][4]);
    cp_async16(&values[threadIdx.x][0], from, 16);
    cp_async_commit();
    cp_async_wait<1>();
    to[threadIdx.x] = shared_load(&values[threadIdx.x][0]);
}

static __global__ void right(const float *from, float *to)
{
    CUDA_SHARED(float, values, [THREADS]);
    shared_store(&values[threadIdx.x], from[threadIdx.x]);
    __syncthreads();
    to[threadIdx.x] = shared_load(&values[(threadIdx.x + 33) % THREADS]);
}

static const struct {
    const char *name;
    void (*kernel)(const float *, float *);
} bugs[] = {
    {"right", right},
    {"missing_barrier", missing_barrier},
    {"missing_warp_barrier", missing_warp_barrier},
    {"divergent_barrier", divergent_barrier},
    {"barriers_in_two_places", barriers_in_two_places},
    {"past_shared", past_shared},
    {"past_global", past_global},
    {"uninitialised_shared", uninitialised_shared},
    {"lanes_that_never_come", lanes_that_never_come},
    {"misaligned_vector", misaligned_vector},
    {"column_of_a_tile", column_of_a_tile},
    {"a_group_too_few", a_group_too_few},
};

int main(int argc, char **argv)
{
    for (const auto &bug : bugs) {
        if (argc < 2 || strcmp(argv[1], bug.name) != 0)
            continue;
        auto *from = static_cast<float *>(aligned_alloc(64, THREADS * sizeof(float)));
        auto *to = static_cast<float *>(aligned_alloc(64, THREADS * sizeof(float)));
        for (int i = 0; i < THREADS; i++)
            from[i] = static_cast<float>(i + 1);
        CUDA_LAUNCH(bug.kernel, 1, THREADS, 0, nullptr, from, to);
        bool is_number = true;
        for (int i = 0; i < THREADS; i++)
            is_number = is_number && std::isfinite(to[i]);
        puts(is_number ? "numbers" : "a wrong result: NaN");
        printf("%d bank conflicts\n", static_cast<int>(emulation::counters.shared_conflicts));
        free(from);
        free(to);
        return 0;
    }
    fputs("test_seeded_bugs NAME\n", stderr);
    return 2;
}
