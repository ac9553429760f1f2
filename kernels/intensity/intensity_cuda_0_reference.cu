/* Rung 0: the definition. A thread takes a lane (or several, one after the other), and keeps its
 * four accumulators where they end up: in `out`, in global memory.
 *
 * Traffic: one register per 2 m operations as on rung 1, but every multiply-add loads and stores
 * its accumulator, too: 3 accesses for each.
 * What limits it next: the caches, through which the accumulators go, and their latency, which each
 * multiply-add waits for. */
#include "kernels/intensity/intensity_cuda.cuh"

/* A lane here is a register's: for f16 and bf16 a pair of the header's lanes. */
template <class Type>
PORT_DEVICE void run_lane(const intensity_work<typename Type::reg> &work, const char *values,
                          int64_t blocks, int64_t lane)
{
    using reg = typename Type::reg;
    const int64_t lanes = INTENSITY_CUDA_VECTOR_BYTES / static_cast<int64_t>(sizeof(reg));
    const int64_t vectors = blocks * INTENSITY_CUDA_CHAINS;
    reg *out = reinterpret_cast<reg *>(work.out +
                                       blockIdx.x * static_cast<int64_t>(INTENSITY_CUDA_OUT_BYTES));
    for (int chain = 0; chain < INTENSITY_CUDA_CHAINS; chain++)
        out[chain * lanes + lane] = work.zero[chain];
    for (int64_t w = 0; w < vectors; w++) {
        const reg v = reinterpret_cast<const reg *>(values)[w * lanes + lane];
        for (int64_t k = 0; k < work.fmas; k++) {
            reg *acc = &out[(w * work.fmas + k) % INTENSITY_CUDA_CHAINS * lanes + lane];
            *acc = Type::step(*acc, work.r, v);
            compiler_barrier(); /* through memory, as the first comment says */
        }
    }
}

template <class Type>
static __global__ void __launch_bounds__(CUDA_BLOCK_THREADS)
    intensity_reference(intensity_work<typename Type::reg> work)
{
    const int64_t lanes = INTENSITY_CUDA_VECTOR_BYTES / static_cast<int64_t>(sizeof(work.r));
    intensity_walk walk = intensity_begin(work);
    for (int64_t unit = 0; unit < work.unit_count; unit++) {
        for (int64_t lane = threadIdx.x; lane < lanes; lane += blockDim.x)
            run_lane<Type>(work, intensity_chunk_values(walk), intensity_chunk_blocks(walk), lane);
        intensity_go_on(walk);
    }
}

template <class Type>
static int launch(const struct intensity_cuda_args *args, int64_t first_unit, int64_t unit_count,
                  void *stream)
{
    intensity_work<typename Type::reg> work;
    const int error = intensity_prepare(args, first_unit, unit_count, work);
    if (error)
        return error;
    CUDA_LAUNCH(intensity_reference<Type>, static_cast<unsigned>(args->parts), CUDA_BLOCK_THREADS,
                0, stream, work);
    return CUDA_LAUNCH_ERROR();
}

int intensity_cuda_0_reference(const struct intensity_cuda_args *args, int64_t first_unit,
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
