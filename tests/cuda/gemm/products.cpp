#include "tests/cuda/gemm/products.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

const struct cuda_grid emulated_grid = {4, 8, nullptr};

enum { MARGIN_BYTES = 16 << 10, FILL = 0xa5 };

const char *type_name(enum gemm_type type)
{
    static const char *const names[] = {"f32", "f64", "bf16", "int8", "f16", "tf32"};
    static_assert(GEMM_F16 == 4 && GEMM_TF32 == 5, "in the order of enum gemm_type");
    return names[type];
}

static size_t element_bytes(enum gemm_type type)
{
    if (type == GEMM_F64)
        return 8;
    if (type == GEMM_INT8)
        return 1;
    return type == GEMM_F32 || type == GEMM_TF32 ? 4 : 2;
}

static size_t sum_bytes(enum gemm_type type)
{
    return type == GEMM_F64 ? 8 : 4;
}

/* Bits of the fraction, with the leading one. */
static int precision_bits(enum gemm_type type)
{
    if (type == GEMM_F64)
        return 53;
    if (type == GEMM_F32)
        return 24;
    return type == GEMM_BF16 ? 8 : 11; /* f16 and tf32 */
}

static unsigned draw(uint64_t &state)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33);
}

/* To so many bits, to nearest, ties away from zero (as tf32 is rounded here). */
static double round_bits(double value, int bits)
{
    int exponent;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, bits)), exponent - bits);
}

static double draw_value(enum gemm_type type, Values values, uint64_t &state)
{
    if (type == GEMM_INT8 && values != Values::whole)
        return static_cast<double>(draw(state) % 256) - 128;
    if (values == Values::whole)
        return static_cast<double>(draw(state) % 17) - 8;
    const double value = static_cast<double>(draw(state)) / (1u << 30) - 1;
    if (type == GEMM_TF32) /* an f32, not yet rounded */
        return static_cast<float>(value);
    return round_bits(value, precision_bits(type) < 24 ? precision_bits(type) : 24);
}

static void encode(enum gemm_type type, double value, unsigned char *to)
{
    if (type == GEMM_F64) {
        memcpy(to, &value, sizeof(value));
        return;
    }
    if (type == GEMM_INT8) {
        *to = static_cast<unsigned char>(static_cast<int>(value));
        return;
    }
    const float narrow = static_cast<float>(value);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    uint16_t half = static_cast<uint16_t>(bits >> 16);
    if (type == GEMM_F16) { /* normal numbers and zero; below 2^-14: zero */
        const uint32_t magnitude = bits & 0x7fffffffu;
        half = static_cast<uint16_t>(bits >> 16 & 0x8000);
        if (magnitude >= 113u << 23)
            half = static_cast<uint16_t>(half | ((magnitude >> 13) - (112u << 10)));
    }
    if (element_bytes(type) == 2)
        memcpy(to, &half, sizeof(half));
    else
        memcpy(to, &narrow, sizeof(narrow));
}

/* A matrix in memory of exactly its size, and what its elements count as in the product. */
struct Matrix {
    unsigned char *bytes;
    std::vector<double> values;
};

static unsigned char *allocate(size_t bytes)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 16, bytes) != 0)
        abort();
    return static_cast<unsigned char *>(memory);
}

static Matrix draw_matrix(enum gemm_type type, Values values, int64_t count, uint64_t seed)
{
    Matrix matrix = {allocate(static_cast<size_t>(count) * element_bytes(type)), {}};
    for (int64_t i = 0; i < count; i++) {
        double value = draw_value(type, values, seed);
        if (type == GEMM_F16 && std::fabs(value) < 0x1p-14)
            value = 0;
        encode(type, value, matrix.bytes + static_cast<size_t>(i) * element_bytes(type));
        matrix.values.push_back(type == GEMM_TF32 ? round_bits(value, 11) : value);
    }
    return matrix;
}

static double decode_sum(enum gemm_type type, const unsigned char *from)
{
    double wide;
    float narrow;
    int32_t whole;
    if (type == GEMM_F64) {
        memcpy(&wide, from, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, from, sizeof(narrow));
    memcpy(&whole, from, sizeof(whole));
    return type == GEMM_INT8 ? static_cast<double>(whole) : static_cast<double>(narrow);
}

struct Entry {
    double sum, magnitude;
};

static Entry multiply(const Matrix &a, const Matrix &b, const Shape &s, int64_t row, int64_t column)
{
    const int64_t matrix = row / s.m;
    Entry entry = {0, 0};
    for (int64_t l = 0; l < s.k; l++) {
        const double product = a.values[static_cast<size_t>(row * s.k + l)] *
                               b.values[static_cast<size_t>((matrix * s.k + l) * s.n + column)];
        entry.sum += product;
        entry.magnitude += std::fabs(product);
    }
    return entry;
}

/* Whole numbers: none. Otherwise k roundings of sums, each at most a unit of the last place. */
static double tolerance(enum gemm_type type, Values values, int64_t k, double magnitude)
{
    if (values == Values::whole || type == GEMM_INT8)
        return 0;
    return static_cast<double>(k) * magnitude * (type == GEMM_F64 ? 0x1p-52 : 0x1p-23);
}

static bool compare(const char *rung, enum gemm_type type, const Shape &s, Values values,
                    const Matrix &a, const Matrix &b, const unsigned char *c)
{
    for (int64_t row = 0; row < s.m * s.batch; row++)
        for (int64_t column = 0; column < s.n; column++) {
            const size_t at = static_cast<size_t>(row * s.n + column) * sum_bytes(type);
            const double got = decode_sum(type, c + at);
            const Entry wanted = multiply(a, b, s, row, column);
            if (std::fabs(got - wanted.sum) <= tolerance(type, values, s.k, wanted.magnitude))
                continue;
            fprintf(stderr,
                    "%s %s %ld x %ld x %ld, batch %ld: row %ld, column %ld is %.9g, not %.9g\n",
                    rung, type_name(type), static_cast<long>(s.m), static_cast<long>(s.n),
                    static_cast<long>(s.k), static_cast<long>(s.batch), static_cast<long>(row),
                    static_cast<long>(column), got, wanted.sum);
            return false;
        }
    return true;
}

static bool is_filled(const unsigned char *bytes)
{
    for (int i = 0; i < MARGIN_BYTES; i++)
        if (bytes[i] != FILL)
            return false;
    return true;
}

bool check_product(const char *rung, Launch launch, enum gemm_type type, Shape s, Values values)
{
    const Matrix a = draw_matrix(type, values, s.m * s.k * s.batch, 1);
    const Matrix b = draw_matrix(type, values, s.k * s.n * s.batch, 2);
    const size_t c_bytes = static_cast<size_t>(s.m * s.n * s.batch) * sum_bytes(type);
    unsigned char *c = allocate(c_bytes + 2 * MARGIN_BYTES);
    memset(c, FILL, c_bytes + 2 * MARGIN_BYTES);
    memset(c + MARGIN_BYTES, 0xff, c_bytes);
    const struct gemm_args args = {
        type, s.m, s.n, s.k, s.batch, a.bytes, b.bytes, c + MARGIN_BYTES, nullptr};
    const int error = launch(&args, &emulated_grid, nullptr);
    bool is_right = error == 0;
    if (error)
        fprintf(stderr, "%s %s: error %d\n", rung, type_name(type), error);
    if (is_right && !(is_filled(c) && is_filled(c + MARGIN_BYTES + c_bytes))) {
        fprintf(stderr, "%s %s %ld x %ld x %ld: memory beside C was written\n", rung,
                type_name(type), static_cast<long>(s.m), static_cast<long>(s.n),
                static_cast<long>(s.k));
        is_right = false;
    }
    is_right = is_right && compare(rung, type, s, values, a, b, c + MARGIN_BYTES);
    free(a.bytes);
    free(b.bytes);
    free(c);
    return is_right;
}

int run_tests(const std::vector<Test> &tests, int count, char **names)
{
    int wrong = 0, ran = 0;
    for (const Test &test : tests) {
        bool is_wanted = count == 0;
        for (int i = 0; i < count; i++)
            is_wanted = is_wanted || strcmp(names[i], test.name) == 0;
        if (!is_wanted)
            continue;
        const bool is_right = test.run();
        printf("%s %s\n", is_right ? "ok   " : "WRONG", test.name);
        fflush(stdout);
        wrong += !is_right;
        ran++;
    }
    if (ran < count) {
        fprintf(stderr, "a test that was named does not exist\n");
        return 2;
    }
    return wrong > 0;
}
