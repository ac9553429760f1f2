/* Kernels for the interpreter's own tests: what the benchmark's kernels use, in small, through the
 * same wrappers, so that the PTX that nvcc makes of them is run before they are. */
#include "kernels/cuda/port.cuh"

#include <cuda_fp16.h>

enum { TILE_M = 32, TILE_N = 32, TILE_K = 32, STAGES = 3, THREADS = 128 };
enum { PITCH_A = TILE_K + 8, PITCH_B = TILE_N + 8 }; /* rows 16 bytes apart from their banks */
enum { STAGE_HALVES = TILE_M * PITCH_A + TILE_K * PITCH_B };

struct probe_gemm {
    float *c;
    const __half *a, *b;
    int m, n, k; /* n and k multiples of 8 */
};

PORT_DEVICE void probe_load(const probe_gemm &g, __half *stage, int k0)
{
    const int row = threadIdx.x / 4, column = threadIdx.x % 4 * 8;
    const int m = blockIdx.y * TILE_M + row, n = blockIdx.x * TILE_N + column;
    const bool has_a = m < g.m && k0 + column < g.k, has_b = k0 + row < g.k && n < g.n;
    __half *const b = stage + TILE_M * PITCH_A;
    cp_async16(stage + row * PITCH_A + column,
               has_a ? g.a + static_cast<size_t>(m) * g.k + k0 + column : g.a, has_a ? 16 : 0);
    cp_async16(b + row * PITCH_B + column,
               has_b ? g.b + static_cast<size_t>(k0 + row) * g.n + n : g.b, has_b ? 16 : 0);
    cp_async_commit();
}

/* Each of four warps: 16 x 16 of the tile. */
PORT_DEVICE void probe_multiply(float (&sums)[2][4], const __half *stage)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = warp / 2 * 16, column = warp % 2 * 16;
    const __half *const b = stage + TILE_M * PITCH_A;
    for (int k = 0; k < TILE_K; k += 16) {
        uint32_t fragment_a[4], fragment_b[4];
        ldmatrix_x4(fragment_a, stage + (row + lane % 16) * PITCH_A + k + lane / 16 * 8);
        ldmatrix_x4_transposed(fragment_b, b + (k + lane % 16) * PITCH_B + column + lane / 16 * 8);
        mma_f16_m16n8k16(sums[0], fragment_a, fragment_b);
        mma_f16_m16n8k16(sums[1], fragment_a, fragment_b + 2);
    }
}

PORT_DEVICE void probe_store(const probe_gemm &g, const float (&sums)[2][4])
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = 0; i < 8; i++) {
        const int row = blockIdx.y * TILE_M + warp / 2 * 16 + i / 2 % 2 * 8 + lane / 4;
        const int column = blockIdx.x * TILE_N + warp % 2 * 16 + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (row < g.m && column < g.n)
            g.c[static_cast<size_t>(row) * g.n + column] = sums[i / 4][i % 4];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) probe_gemm_f16(probe_gemm g)
{
    CUDA_SHARED(__half, stages, [STAGES][STAGE_HALVES]);
    float sums[2][4] = {};
    const int steps = (g.k + TILE_K - 1) / TILE_K;
    for (int s = 0; s < STAGES - 1; s++)
        probe_load(g, stages[s], s * TILE_K);
    for (int step = 0; step < steps; step++) {
        cp_async_wait<STAGES - 2>();
        __syncthreads();
        probe_load(g, stages[(step + STAGES - 1) % STAGES], (step + STAGES - 1) * TILE_K);
        probe_multiply(sums, stages[step % STAGES]);
    }
    probe_store(g, sums);
}

/* Bytes counted in shared memory, added up in global memory; the ticket's last block says so. */
extern "C" __global__ void probe_histogram(unsigned *bins, const unsigned char *values, int count)
{
    CUDA_SHARED(unsigned, own, [64]);
    if (threadIdx.x < 64)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[values[i] % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* out[i]: from shuffles, votes, a local array and conversions. */
extern "C" __global__ void probe_lanes(unsigned *out, int turn)
{
    const unsigned lane = threadIdx.x;
    unsigned saved[8];
    for (int i = 0; i < 8; i++)
        saved[(i + turn) % 8] = lane * 8 + i;
    const unsigned up = __shfl_up_sync(0xffffffffu, lane, 3);
    const unsigned down = __shfl_down_sync(0xffffffffu, lane, 5, 16);
    const unsigned chosen = __shfl_sync(0xffffffffu, lane * lane, turn);
    out[lane] = up;
    out[32 + lane] = down;
    out[64 + lane] = chosen;
    out[96 + lane] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    out[128 + lane] = __any_sync(0xffffffffu, lane == 40) + 2 * __all_sync(0xffffffffu, lane < 32);
    out[160 + lane] = saved[lane % 8];
    out[192 + lane] = static_cast<unsigned>(__popc(lane) + __clz(static_cast<int>(lane)));
    out[224 + lane] = __float_as_uint(__half2float(__float2half_rn(lane / 7.0f)));
    out[256 + lane] = static_cast<unsigned>(__double2int_rn(sqrt(static_cast<double>(lane)) * 10));
    out[288 + lane] = lane * 0x12345679u % 1000u + (lane + 1000u) / (lane + 1u);
}
