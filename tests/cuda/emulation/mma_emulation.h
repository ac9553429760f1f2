/* What kernels/cuda/mma.cuh becomes with -DRIDGE_EMULATE: mma of every type, on a warp of fibers.
 */
#pragma once

#include "tests/cuda/emulation/emulation.h"

constexpr bool CUDA_HAS_ASYNC_COPIES = true, CUDA_HAS_MMA_BF16 = true, CUDA_HAS_MMA_TF32 = true,
               CUDA_HAS_MMA_F64 = true, CUDA_HAS_MMA_FP8 = true;
constexpr int CUDA_MOST_SHARED_BYTES = 99 << 10;

namespace emulation
{

enum class MmaType { tf32, f16_sums, int8, f64, e4m3, e5m2 };

/* d += a b; 4 registers of A and 2 of B; D has 4 numbers (f16: two to a register). */
void multiply_fragments(MmaType type, void *d, const void *a, const void *b, Site site);

/* D, A: what the wrapper of mma.cuh takes. */
template <MmaType type, class D, class A>
inline void multiply_typed(D &d, const A (&a)[4], const A *b, Site site)
{
    multiply_fragments(type, d, a, b, site);
}

float f16_value(uint16_t bits);
float fp8_value(MmaType type, uint8_t bits);

} // namespace emulation

#define EMULATION_MMA(type, D, A, d, a, b)                                                         \
    emulation::multiply_typed<emulation::MmaType::type, D, A>(d, a, b, EMULATION_SITE)
#define mma_tf32_m16n8k8(d, a, b)      EMULATION_MMA(tf32, float[4], uint32_t, d, a, b)
#define mma_f16_sums_m16n8k16(d, a, b) EMULATION_MMA(f16_sums, uint32_t[2], uint32_t, d, a, b)
#define mma_int8_m16n8k32(d, a, b)     EMULATION_MMA(int8, int32_t[4], uint32_t, d, a, b)
#define mma_f64_m16n8k8(d, a, b)       EMULATION_MMA(f64, double[4], double, d, a, b)
#define mma_e4m3_m16n8k32(d, a, b)     EMULATION_MMA(e4m3, float[4], uint32_t, d, a, b)
#define mma_e5m2_m16n8k32(d, a, b)     EMULATION_MMA(e5m2, float[4], uint32_t, d, a, b)

#define trap() emulation::fail("the kernel trapped", EMULATION_SITE)

inline float f16_to_f32(uint16_t bits)
{
    return emulation::f16_value(bits);
}

inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= static_cast<uint32_t>(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
    return result;
}
