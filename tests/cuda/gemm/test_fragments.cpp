/* The emulation's fragments against layouts.h: a warp multiplies matrices that the test deals out
 * by the description, and the test collects D by it. */
#include "kernels/cuda/mma.cuh"
#include "tests/cuda/gemm/layouts.h"
#include "tests/cuda/gemm/products.h"

#include <cstdio>

enum { LANES = 32, FRAGMENT_BYTES = 32 };

/* What a lane brings and takes. */
struct Lane {
    alignas(16) unsigned char a[FRAGMENT_BYTES], b[16], d[FRAGMENT_BYTES];
};

template <class D, class Word, void (*multiply)(D (&)[4], const Word (&)[4], const Word *)>
static __global__ void run_mma(Lane *lanes)
{
    Lane &lane = lanes[threadIdx.x];
    D d[4];
    Word a[4], b[2];
    memcpy(d, lane.d, sizeof(d));
    memcpy(a, lane.a, sizeof(a));
    memcpy(b, lane.b, sizeof(b));
    multiply(d, a, b);
    memcpy(lane.d, d, sizeof(d));
}

static __global__ void run_f16_sums(Lane *lanes)
{
    Lane &lane = lanes[threadIdx.x];
    uint32_t d[2], a[4], b[2];
    memcpy(d, lane.d, sizeof(d));
    memcpy(a, lane.a, sizeof(a));
    memcpy(b, lane.b, sizeof(b));
    mma_f16_sums_m16n8k16(d, a, b);
    memcpy(lane.d, d, sizeof(d));
}

#define WRAP(D, Word, wrapper)                                                                     \
    static void call_##wrapper(D(&d)[4], const Word(&a)[4], const Word *b)                         \
    {                                                                                              \
        wrapper(d, a, b);                                                                          \
    }
WRAP(float, uint32_t, mma_f16_m16n8k16)
WRAP(float, uint32_t, mma_bf16_m16n8k16)
WRAP(float, uint32_t, mma_tf32_m16n8k8)
WRAP(int32_t, uint32_t, mma_int8_m16n8k32)
WRAP(double, double, mma_f64_m16n8k8)
WRAP(float, uint32_t, mma_e4m3_m16n8k32)
WRAP(float, uint32_t, mma_e5m2_m16n8k32)

/* Whole numbers from -3 to 3, in the formats of A and B. */
enum class Format { f16, bf16, tf32, int8, f64, e4m3, e5m2 };

static void encode(Format format, int value, unsigned char *to)
{
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44}, e5m2[] = {0, 0x3c, 0x40, 0x42};
    static const uint16_t f16[] = {0, 0x3c00, 0x4000, 0x4200};
    const int magnitude = value < 0 ? -value : value;
    const bool is_minus = value < 0;
    const float f32 = static_cast<float>(value);
    const double f64 = value;
    uint32_t bits;
    memcpy(&bits, &f32, sizeof(bits));
    const uint16_t upper = static_cast<uint16_t>(bits >> 16);
    const uint16_t half = static_cast<uint16_t>(f16[magnitude] | (is_minus ? 0x8000 : 0));
    switch (format) {
    case Format::f16: memcpy(to, &half, 2); break;
    case Format::bf16: memcpy(to, &upper, 2); break;
    case Format::tf32:
        bits |= 0x1fff; /* which nobody may look at */
        memcpy(to, &bits, 4);
        break;
    case Format::int8: *to = static_cast<unsigned char>(value); break;
    case Format::f64: memcpy(to, &f64, 8); break;
    case Format::e4m3:
        *to = static_cast<unsigned char>(e4m3[magnitude] | (is_minus ? 0x80 : 0));
        break;
    case Format::e5m2:
        *to = static_cast<unsigned char>(e5m2[magnitude] | (is_minus ? 0x80 : 0));
        break;
    }
}

enum class Sums { f32, f16, int32, f64 };

static const size_t sum_bytes[] = {4, 2, 4, 8};

static double get_sum(Sums sums, const unsigned char *from)
{
    float f32;
    uint16_t f16;
    int32_t int32;
    double f64;
    switch (sums) {
    case Sums::f32: memcpy(&f32, from, 4); return static_cast<double>(f32);
    case Sums::f16: memcpy(&f16, from, 2); return static_cast<double>(f16_to_f32(f16));
    case Sums::int32: memcpy(&int32, from, 4); return int32;
    default: memcpy(&f64, from, 8); return f64;
    }
}

static void put_sum(Sums sums, int value, unsigned char *to)
{
    const float f32 = static_cast<float>(value);
    const double f64 = value;
    switch (sums) {
    case Sums::f32: memcpy(to, &f32, 4); break;
    case Sums::f16: encode(Format::f16, value, to); break;
    case Sums::int32: memcpy(to, &value, 4); break;
    default: memcpy(to, &f64, 8); break;
    }
}

struct Instruction {
    const char *name;
    const Layout &layout;
    Format format;
    Sums sums;
    void (*kernel)(Lane *);
};

static const Instruction instructions[] = {
    {"f16", layout_m16n8k16_16bit, Format::f16, Sums::f32,
     run_mma<float, uint32_t, call_mma_f16_m16n8k16>},
    {"bf16", layout_m16n8k16_16bit, Format::bf16, Sums::f32,
     run_mma<float, uint32_t, call_mma_bf16_m16n8k16>},
    {"f16 sums", layout_m16n8k16_16bit, Format::f16, Sums::f16, run_f16_sums},
    {"tf32", layout_m16n8k8_tf32, Format::tf32, Sums::f32,
     run_mma<float, uint32_t, call_mma_tf32_m16n8k8>},
    {"int8", layout_m16n8k32_8bit, Format::int8, Sums::int32,
     run_mma<int32_t, uint32_t, call_mma_int8_m16n8k32>},
    {"f64", layout_m16n8k8_f64, Format::f64, Sums::f64,
     run_mma<double, double, call_mma_f64_m16n8k8>},
    {"e4m3", layout_m16n8k32_8bit, Format::e4m3, Sums::f32,
     run_mma<float, uint32_t, call_mma_e4m3_m16n8k32>},
    {"e5m2", layout_m16n8k32_8bit, Format::e5m2, Sums::f32,
     run_mma<float, uint32_t, call_mma_e5m2_m16n8k32>},
};

/* Whole numbers from -3 to 3 for an element of matrix `which`. */
static int value_at(int which, int row, int column)
{
    const unsigned mixed =
        static_cast<unsigned>(which * 40503 + row * 1009 + column * 9176) * 2654435761u;
    return static_cast<int>((mixed >> 20) % 7) - 3;
}

static void deal(const Instruction &instruction, std::vector<Lane> &lanes)
{
    const Layout &layout = instruction.layout;
    const size_t bytes = static_cast<size_t>(layout.bits / 8);
    for (int l = 0; l < LANES; l++) {
        const int group = l / 4, thread = l % 4;
        Lane &lane = lanes[static_cast<size_t>(l)];
        for (int i = 0; i < layout.a_count; i++)
            encode(
                instruction.format,
                value_at(0, group + layout.a[i].row, layout.a_step * thread + layout.a[i].column),
                lane.a + static_cast<size_t>(i) * bytes);
        for (int i = 0; i < layout.b_count; i++)
            encode(instruction.format, value_at(1, layout.b_step * thread + layout.b[i], group),
                   lane.b + static_cast<size_t>(i) * bytes);
        for (int i = 0; i < 4; i++)
            put_sum(instruction.sums,
                    value_at(2, group + d_offsets[i].row, 2 * thread + d_offsets[i].column),
                    lane.d +
                        static_cast<size_t>(i) * sum_bytes[static_cast<int>(instruction.sums)]);
    }
}

static bool check_instruction(const Instruction &instruction)
{
    std::vector<Lane> lanes(LANES);
    deal(instruction, lanes);
    Lane *const first = lanes.data();
    CUDA_LAUNCH(instruction.kernel, 1, LANES, 0, nullptr, first);
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < 4; i++) {
            const int row = l / 4 + d_offsets[i].row, column = 2 * (l % 4) + d_offsets[i].column;
            int wanted = value_at(2, row, column);
            for (int k = 0; k < instruction.layout.depth; k++)
                wanted += value_at(0, row, k) * value_at(1, k, column);
            const double got =
                get_sum(instruction.sums,
                        lanes[static_cast<size_t>(l)].d +
                            static_cast<size_t>(i) * sum_bytes[static_cast<int>(instruction.sums)]);
            if (got != wanted) {
                fprintf(stderr, "mma %s (%s): D(%d, %d) is %g, not %d\n", instruction.name,
                        instruction.layout.name, row, column, got, wanted);
                return false;
            }
        }
    return true;
}

static bool mma_is_as_described()
{
    bool is_right = true;
    for (const Instruction &instruction : instructions)
        is_right = check_instruction(instruction) && is_right;
    return is_right;
}

struct Dealt {
    uint32_t plain[4], transposed[4];
};

/* Four matrices of 8 rows of 8 numbers of 16 bits: matrix, row and column in one number. */
static __global__ void run_ldmatrix(Dealt *dealt)
{
    CUDA_SHARED(uint16_t, rows, [32][8]);
    for (unsigned i = 0; i < 8; i++)
        rows[threadIdx.x][i] = static_cast<uint16_t>(threadIdx.x << 8 | i);
    __syncthreads();
    ldmatrix_x4(dealt[threadIdx.x].plain, &rows[threadIdx.x][0]);
    ldmatrix_x4_transposed(dealt[threadIdx.x].transposed, &rows[threadIdx.x][0]);
}

/* PTX ISA, ldmatrix: register i of lane l holds elements 2 (l mod 4) and the one after it of row
 * l / 4 of matrix i; with .trans of column l / 4. */
static bool ldmatrix_is_as_described()
{
    std::vector<Dealt> dealt(LANES);
    Dealt *const first_lane = dealt.data();
    CUDA_LAUNCH(run_ldmatrix, 1, LANES, 0, nullptr, first_lane);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < 4; i++) {
            const unsigned line = l / 4, first = 2 * (l % 4);
            const unsigned plain = (8 * i + line) << 8 | first;
            const unsigned turned = (8 * i + first) << 8 | line;
            if (dealt[l].plain[i] != ((plain + 1) << 16 | plain) ||
                dealt[l].transposed[i] != ((turned + 256) << 16 | turned)) {
                fprintf(stderr, "ldmatrix: lane %u, register %u: %#x, %#x\n", l, i,
                        dealt[l].plain[i], dealt[l].transposed[i]);
                return false;
            }
        }
    return true;
}

static bool small_formats_are_right()
{
    using emulation::MmaType;
    const auto e4m3 = [](unsigned bits) {
        return emulation::fp8_value(MmaType::e4m3, static_cast<uint8_t>(bits));
    };
    const auto e5m2 = [](unsigned bits) {
        return emulation::fp8_value(MmaType::e5m2, static_cast<uint8_t>(bits));
    };
    const bool is_fp8_right = e4m3(0x7e) == 448 && e4m3(0x01) == 0x1p-9f && e4m3(0xb8) == -1 &&
                              std::isnan(e4m3(0x7f)) && e4m3(0x08) == 0x1p-6f &&
                              e5m2(0x7b) == 57344 && e5m2(0x01) == 0x1p-16f &&
                              std::isinf(e5m2(0x7c)) && e5m2(0xbc) == -1;
    /* PTX ISA, prmt: bytes of a are 0 to 3, of b 4 to 7. */
    return is_fp8_right && permute_bytes(0x33221100, 0x77665544, 0x3210) == 0x33221100 &&
           permute_bytes(0x33221100, 0x77665544, 0x7531) == 0x77553311 &&
           permute_bytes(0x33221100, 0x77665544, 0x0264) == 0x00226644;
}

int main(int argc, char **argv)
{
    return run_tests({{"mma", mma_is_as_described},
                      {"ldmatrix", ldmatrix_is_as_described},
                      {"formats", small_formats_are_right}},
                     argc - 1, argv + 1);
}
