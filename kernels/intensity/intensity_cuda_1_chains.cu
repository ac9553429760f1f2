/* Rung 1: accumulators in registers. Rung 0 waits for the caches between two multiply-adds of a
 * chain; here a thread holds 4 chains x 16 bytes of them (16 in f32, 8 in f64, 16 pairs of f16), so
 * that each of its instructions is independent of the 7 or 15 before it, where a result takes 4
 * cycles (more in f64 on chips with few units).
 *
 * The multiply-adds are written out: all of them up to m = 32; above, a loop takes 64 per value and
 * round, 256 instructions in f32 to 3 that count. A processor that starts one instruction per cycle
 * pays for each that is no multiply-add.
 *
 * Traffic: 16 bytes per thread and 4 m or 2 m multiply-adds; from global memory through the caches,
 * or from shared memory, where each thread reads back what it copied itself: no barrier is needed,
 * and neighbouring threads read neighbouring 16 bytes, so that banks never conflict.
 * What limits it next: for large m the units, for small m the level that the values lie in. */
#include "kernels/intensity/intensity_cuda.cuh"

enum { CHAINS = INTENSITY_CUDA_CHAINS, MOST_WRITTEN_OUT = 32, ROUND = 64 };
enum { ROWS = 7 }; /* m = 1, 2, 4, 8, 16, 32; then all others */

template <class Type>
using regs = intensity_regs<typename Type::reg>;

/* Where a kernel takes its values from; each is a kernel of its own, since a choice at run time
 * costs registers and an instruction per load. */
enum source { FROM_CACHES, PAST_L1, FROM_SHARED };

template <source from, class V>
PORT_DEVICE V load_value(const char *values, int64_t vector)
{
    const auto *at = reinterpret_cast<const V *>(values + vector * INTENSITY_CUDA_VECTOR_BYTES);
    if constexpr (from == FROM_SHARED)
        return shared_load16(at);
    else if constexpr (from == PAST_L1)
        return load16_past_l1(at);
    else
        return load16(at);
}

template <class Type>
PORT_DEVICE void step(regs<Type> &acc, typename Type::reg r, const regs<Type> &v)
{
    CUDA_UNROLL
    for (unsigned i = 0; i < sizeof(acc.reg) / sizeof(r); i++)
        acc.reg[i] = Type::step(acc.reg[i], r, v.reg[i]);
}

/* m multiply-adds of value vector number w of a block, on the chains (w m + k) mod CHAINS. */
template <class Type, int m>
PORT_DEVICE void feed(regs<Type> (&acc)[CHAINS], int w, typename Type::reg r, const regs<Type> &v)
{
    CUDA_UNROLL
    for (int k = 0; k < m; k++)
        step<Type>(acc[(w * m + k) % CHAINS], r, v);
}

/* A block of values; m > MOST_WRITTEN_OUT stands for rounds x ROUND. */
template <class Type, int m, source from>
PORT_DEVICE void feed_block(regs<Type> (&acc)[CHAINS], const char *values, typename Type::reg r,
                            int rounds)
{
    regs<Type> v[CHAINS];
    CUDA_UNROLL
    for (int w = 0; w < CHAINS; w++)
        v[w] = load_value<from, regs<Type>>(values, w);
    CUDA_UNROLL
    for (int w = 0; w < CHAINS; w++) {
        if constexpr (m <= MOST_WRITTEN_OUT) {
            feed<Type, m>(acc, w, r, v[w]);
        } else {
            CUDA_NO_UNROLL
            for (int round = 0; round < rounds; round++)
                feed<Type, ROUND>(acc, w, r, v[w]);
        }
    }
}

/* Every unit begins at zero and is computed whole, though only the last one is stored: 16 KiB of
 * sums for each small chunk would outweigh what is read. */
template <class Type, int m, source from>
PORT_DEVICE void run_unit(const intensity_work<typename Type::reg> &work, typename Type::reg r,
                          const char *values, int64_t blocks, regs<Type> (&acc)[CHAINS])
{
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++)
        for (auto &reg : acc[chain].reg)
            reg = work.zero[chain];
    const int rounds = static_cast<int>(work.fmas / ROUND);
    CUDA_NO_UNROLL
    for (int64_t block = 0; block < blocks; block++)
        feed_block<Type, m, from>(acc, values + block * INTENSITY_CUDA_BLOCK_BYTES, r, rounds);
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++)
        for (auto &reg : acc[chain].reg)
            opaque(reg);
}

PORT_DEVICE void copy_to_shared(char *to, const char *from, int64_t blocks)
{
    for (int64_t vector = 0; vector < blocks * CHAINS; vector++)
        cp_async16(to + vector * INTENSITY_CUDA_VECTOR_BYTES,
                   from + vector * INTENSITY_CUDA_VECTOR_BYTES, 16);
    cp_async_commit();
    cp_async_wait<0>();
}

/* One block at least: without that, ptxas 13.0 spills a register it has (sm_100, f64, m = 1). */
template <class Type, int m, source from>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS, 1)
    intensity_chains(intensity_work<typename Type::reg> work)
{
    const int64_t mine = 16 * static_cast<int64_t>(threadIdx.x);
    char *out = work.out + blockIdx.x * static_cast<int64_t>(INTENSITY_CUDA_OUT_BYTES) + mine;
    /* What all threads share would become a constant or uniform operand; what threads choose is a
     * register like the others. */
    const typename Type::reg r = threadIdx.x % 2 ? work.r : work.same_r;
    intensity_walk walk = intensity_begin(work);
    const char *copy = nullptr;
    if constexpr (from == FROM_SHARED) {
        CUDA_DYNAMIC_SHARED(char, shared);
        copy_to_shared(shared + mine, walk.part + mine, walk.blocks);
        copy = shared;
    }
    regs<Type> acc[CHAINS];
    for (int64_t unit = 0; unit < work.unit_count; unit++) {
        const char *values = from == FROM_SHARED ? copy : intensity_chunk_values(walk);
        run_unit<Type, m, from>(work, r, values + mine, intensity_chunk_blocks(walk), acc);
        intensity_go_on(walk);
        compiler_barrier();
    }
    CUDA_UNROLL
    for (int chain = 0; chain < CHAINS; chain++)
        store16(reinterpret_cast<regs<Type> *>(out + chain * INTENSITY_CUDA_VECTOR_BYTES),
                acc[chain]);
}

template <class Type>
using chains_kernel = void (*)(intensity_work<typename Type::reg>);

template <class Type, source from>
static chains_kernel<Type> choose(int64_t fmas)
{
    static const chains_kernel<Type> row[ROWS] = {
        intensity_chains<Type, 1, from>,     intensity_chains<Type, 2, from>,
        intensity_chains<Type, 4, from>,     intensity_chains<Type, 8, from>,
        intensity_chains<Type, 16, from>,    intensity_chains<Type, 32, from>,
        intensity_chains<Type, ROUND, from>,
    };
    int log2_m = 0;
    while (log2_m < ROWS - 1 && int64_t{1} << log2_m < fmas)
        log2_m++;
    return row[log2_m];
}

template <class Type>
static int launch(const struct intensity_cuda_args *args, int64_t first_unit, int64_t unit_count,
                  void *stream)
{
    intensity_work<typename Type::reg> work;
    int error = intensity_prepare(args, first_unit, unit_count, work);
    if (error)
        return error;
    const chains_kernel<Type> chosen = args->from_shared ? choose<Type, FROM_SHARED>(work.fmas)
                                       : args->common.past_l1
                                           ? choose<Type, PAST_L1>(work.fmas)
                                           : choose<Type, FROM_CACHES>(work.fmas);
    const int64_t shared_bytes =
        args->from_shared ? work.chunk_blocks * INTENSITY_CUDA_BLOCK_BYTES : 0;
    if (args->from_shared)
        error = CUDA_ALLOW_SHARED(chosen, shared_bytes);
    if (error)
        return error;
    CUDA_LAUNCH(chosen, static_cast<unsigned>(args->parts), CUDA_BLOCK_THREADS,
                static_cast<size_t>(shared_bytes), stream, work);
    return CUDA_LAUNCH_ERROR();
}

int intensity_cuda_1_chains(const struct intensity_cuda_args *args, int64_t first_unit,
                            int64_t unit_count, void *stream)
{
    switch (args->type) {
    case INTENSITY_CUDA_F32: return launch<intensity_f32>(args, first_unit, unit_count, stream);
    case INTENSITY_CUDA_F64: return launch<intensity_f64>(args, first_unit, unit_count, stream);
    case INTENSITY_CUDA_F16: return launch<intensity_f16>(args, first_unit, unit_count, stream);
    case INTENSITY_CUDA_BF16: return launch<intensity_bf16>(args, first_unit, unit_count, stream);
    case INTENSITY_CUDA_INT32: return launch<intensity_int32>(args, first_unit, unit_count, stream);
    default: return CUDA_INVALID_VALUE;
    }
}
