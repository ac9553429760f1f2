/* Kernels with one mistake each, and the same without it: what the emulation must catch, and what
 * it must let pass. For tests alone; seeded_bugs.cpp runs them. */
#include "kernels/cuda/port.cuh"
#include "tests/cuda/kernels/seeded_bugs.h"

enum { THREADS = SEEDED_THREADS };

/* Each thread reads what its neighbour wrote: a barrier must lie between. */
template <bool is_fixed>
static __global__ void missing_barrier(float *out)
{
    CUDA_SHARED(float, words, [THREADS]);
    const unsigned t = threadIdx.x;
    words[t] = static_cast<float>(t);
    if (is_fixed)
        __syncthreads();
    out[t] = words[t ^ 32] - static_cast<float>(t ^ 32);
}

/* The same within a warp, where lanes may run apart since compute capability 7.0. */
template <bool is_fixed>
static __global__ void missing_syncwarp(float *out)
{
    CUDA_SHARED(float, words, [THREADS]);
    const unsigned t = threadIdx.x;
    words[t] = static_cast<float>(t);
    if (is_fixed)
        __syncwarp();
    out[t] = words[t ^ 1] - static_cast<float>(t ^ 1);
}

template <bool is_fixed>
static __global__ void shared_out_of_bounds(float *out)
{
    CUDA_SHARED(float, words, [THREADS]);
    const unsigned t = threadIdx.x;
    words[t + !is_fixed] = 0;
    out[t] = 0;
}

template <bool is_fixed>
static __global__ void global_out_of_bounds(float *out)
{
    out[threadIdx.x + !is_fixed] = 0;
}

template <bool is_fixed>
static __global__ void uninitialised_shared(float *out)
{
    CUDA_SHARED(float, sum, [1]);
    if (is_fixed && threadIdx.x == 0)
        sum[0] = 0;
    __syncthreads();
    atomicAdd(&sum[0], 1.0f);
    __syncthreads();
    out[threadIdx.x] = sum[0] - THREADS;
}

template <bool is_fixed>
static __global__ void divergent_barrier(float *out)
{
    out[threadIdx.x] = 0;
    if (is_fixed || threadIdx.x < 7)
        __syncthreads();
    else
        __syncthreads();
}

template <bool is_fixed>
static __global__ void exit_before_barrier(float *out)
{
    out[threadIdx.x] = 0;
    if (!is_fixed && threadIdx.x == 3)
        return;
    __syncthreads();
}

/* A column of a matrix of 32 words per row lies in one bank; with 33, in all. */
template <bool is_fixed>
static __global__ void bank_conflict(float *out)
{
    CUDA_SHARED(float, words, [32 * 33]);
    const unsigned t = threadIdx.x, row_words = is_fixed ? 33 : 32;
    shared_store(&words[t % 32 * row_words], 0.0f);
    out[t] = 0;
}

template <bool is_fixed>
static __global__ void shuffle_of_idle_lanes(float *out)
{
    float value = 0;
    if (is_fixed || threadIdx.x % 32 < 16)
        value = __shfl_xor_sync(0xffffffffu, value, 1);
    out[threadIdx.x] = value;
}

/* Two groups of copies are on the way, and the first is read: at most one may be left. */
template <bool is_fixed>
static __global__ void early_read_of_copy(float *out)
{
    CUDA_SHARED(float, words, [2][THREADS * 4]);
    const unsigned t = threadIdx.x;
    for (int group = 0; group < 2; group++) {
        cp_async16(&words[group][4 * t], &out[4 * t], 0);
        cp_async_commit();
    }
    cp_async_wait<is_fixed ? 1 : 2>();
    const float value = words[0][4 * t];
    cp_async_wait<0>();
    out[t] = value;
}

/* A copy begins while neighbours still read what it overwrites. */
template <bool is_fixed>
static __global__ void copy_over_readers(float *out)
{
    CUDA_SHARED(float, words, [THREADS * 4]);
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 4; i++)
        words[4 * t + i] = 1;
    __syncthreads();
    const float value = words[4 * (t ^ 32)];
    if (is_fixed)
        __syncthreads();
    cp_async16(&words[4 * t], out, 0);
    cp_async_commit();
    cp_async_wait<0>();
    out[t] = value - 1;
}

template <bool is_fixed>
static __global__ void misaligned_vector(float *out)
{
    store16(reinterpret_cast<uint4 *>(out + 4 * (threadIdx.x / 4) + (is_fixed ? 0 : 1)),
            uint4{0, 0, 0, 0});
}

/* What the last block reads, other blocks must have written before they took their tickets. */
template <bool is_fixed>
static __global__ void unordered_blocks(float *out, unsigned *ticket)
{
    CUDA_SHARED(unsigned, is_last, [1]);
    if (threadIdx.x == 0) {
        if (is_fixed)
            out[blockIdx.x] = 0;
        is_last[0] = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (!is_fixed)
            out[blockIdx.x] = 0;
    }
    __syncthreads();
    const float seen = is_last[0] ? out[threadIdx.x % gridDim.x] : 0;
    __syncthreads(); /* all have read before anyone writes */
    if (is_last[0])
        out[threadIdx.x] = seen;
}

template <bool is_fixed>
static void launch(const std::string &name, float *out)
{
    static unsigned ticket;
    const struct {
        const char *name;
        void (*kernel)(float *);
    } bugs[] = {
        {"missing_barrier", missing_barrier<is_fixed>},
        {"missing_syncwarp", missing_syncwarp<is_fixed>},
        {"shared_out_of_bounds", shared_out_of_bounds<is_fixed>},
        {"global_out_of_bounds", global_out_of_bounds<is_fixed>},
        {"uninitialised_shared", uninitialised_shared<is_fixed>},
        {"divergent_barrier", divergent_barrier<is_fixed>},
        {"exit_before_barrier", exit_before_barrier<is_fixed>},
        {"bank_conflict", bank_conflict<is_fixed>},
        {"shuffle_of_idle_lanes", shuffle_of_idle_lanes<is_fixed>},
        {"early_read_of_copy", early_read_of_copy<is_fixed>},
        {"copy_over_readers", copy_over_readers<is_fixed>},
        {"misaligned_vector", misaligned_vector<is_fixed>},
    };
    if (name == "unordered_blocks")
        CUDA_LAUNCH(unordered_blocks<is_fixed>, 4, THREADS, 0, nullptr, out, &ticket);
    for (const auto &bug : bugs)
        if (name == bug.name)
            CUDA_LAUNCH(bug.kernel, 1, THREADS, 0, nullptr, out);
}

uint64_t run_seeded_bug(const std::string &name, bool is_fixed, float *out)
{
    if (is_fixed)
        launch<true>(name, out);
    else
        launch<false>(name, out);
    return emulation::counters.shared_conflicts;
}
