/* Runs CUDA kernels on a CPU, for tests: what kernels/cuda/port.cuh becomes with -DRIDGE_EMULATE.
 *
 * One operating-system thread runs a grid block by block. Every CUDA thread of a block is a fiber
 * that runs until its next operation with others; the last one to arrive carries it out for all.
 * So sanitizers see every access of every thread, and the order in which threads run is chosen
 * (RIDGE_EMULATION_SCHEDULE=forward, reverse or random:SEED). README.md says what is caught.
 *
 * The names are CUDA's where kernels use them plainly, and those of port.cuh otherwise. Nothing of
 * the CUDA toolkit is needed.
 */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

struct uint3 {
    unsigned x, y, z;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

using std::fma;
using std::fmaf;

namespace emulation
{

struct Thread {
    uint3 index;
    unsigned linear, lane, warp;
};

/* A place in the source; two on one line differ in `serial`. */
struct Site {
    const char *file;
    int line, serial;
};

/* Of the last launch. A bank conflict is a pass over shared memory beyond those needed. */
struct Counters {
    uint64_t blocks, barriers, warp_operations, matrix_multiplies, async_copies;
    uint64_t shared_accesses, shared_conflicts, ldmatrix_rows, ldmatrix_conflicts;
    size_t shared_bytes; /* static and dynamic, the most of any block */
};

extern Thread *current;
extern uint3 block_index;
extern dim3 block_shape, grid_shape;
extern Counters counters;

/* The largest block's shared memory of any architecture that the kernels are built for. */
constexpr size_t most_shared_bytes = 227 << 10, most_static_shared_bytes = 48 << 10;

void launch(dim3 grid, dim3 block, size_t dynamic_bytes, const std::function<void()> &body);

/* A mistake of the kernel: prints it and where every thread is, and aborts. */
[[noreturn]] void fail(const char *sentence, Site site);

void sync_block(Site site);
void sync_warp(unsigned mask, Site site);

enum class WarpOperation { sync, index, up, down, exchange, ballot, any, all, ldmatrix, mma };
uint64_t exchange(WarpOperation operation, unsigned mask, uint64_t value, int argument, int width,
                  Site site);

/* Shared memory: of the block, filled with NaN, surrounded by bytes that ASan forbids. */
void *shared_array(const void *key, size_t bytes, size_t alignment);
void *dynamic_shared();
void count_shared(const void *address, size_t bytes, Site site);

void copy_async(void *to, const void *from, int bytes, Site site);
void commit_copies();
void wait_copies(int groups_left);

enum class Narrow { f16, bf16 };
void load_matrix(uint32_t (&fragment)[4], bool transposed, const void *row, Site site);
void multiply_matrix(Narrow type, float (&d)[4], const uint32_t (&a)[4], const uint32_t *b,
                     Site site);
uint32_t fma_pair(Narrow type, uint32_t a, uint32_t b, uint32_t c);

void check_address(const void *address, size_t alignment, Site site);
uint64_t now_ns();

template <class T>
uint64_t to_bits(T value)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
T shuffle(WarpOperation operation, unsigned mask, T value, int argument, int width, Site site)
{
    const uint64_t bits = exchange(operation, mask, to_bits(value), argument, width, site);
    memcpy(&value, &bits, sizeof(T));
    return value;
}

inline int width_or_32(int width = 32)
{
    return width;
}

inline unsigned mask_or_all(unsigned mask = 0xffffffffu)
{
    return mask;
}

template <class V>
V load_aligned(const V *from, Site site)
{
    check_address(from, sizeof(V), site);
    return *from;
}

template <class V>
void store_aligned(V *to, const V &value, Site site)
{
    check_address(to, sizeof(V), site);
    *to = value;
}

template <class T>
T load_counted(const T *from, Site site)
{
    count_shared(from, sizeof(T), site);
    return *from;
}

template <class T>
void store_counted(T *to, const T &value, Site site)
{
    count_shared(to, sizeof(T), site);
    *to = value;
}

/* The new value is a function of the old one; returns the old one, as CUDA's atomics do. */
template <class T, class F>
T atomic_update(T *at, F next)
{
    T old, desired;
    __atomic_load(at, &old, __ATOMIC_ACQUIRE);
    do
        desired = next(old);
    while (
        !__atomic_compare_exchange(at, &old, &desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return old;
}

} // namespace emulation

#include "tests/cuda/emulation/cuda_names.h"
