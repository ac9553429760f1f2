/* The stream rungs of the GPU, by emulation: every operation, store, type and rung on counts that no
 * vector, tile or grid divides, against the definition in double. */
#include "tests/cuda/kernels/trial.h"

#include "kernels/stream/stream_cuda.h"

#include <cmath>

using Launch = int (*)(const struct stream_args *, const struct cuda_grid *, int64_t, void *);

static const struct {
    const char *name;
    Launch launch;
} rungs[] = {{"scalar", stream_cuda_0_scalar},
             {"vector", stream_cuda_1_vector},
             {"unrolled", stream_cuda_2_unrolled}};
static const double SCALAR = 0.75;

/* Two multiprocessors with two blocks each: 1024 threads, so that every loop goes round. */
struct Grid {
    Array<unsigned char> scratch{CUDA_SCRATCH_BYTES};
    struct cuda_grid grid;
    Grid() : grid{2, 2, scratch.data()}
    {
        memset(scratch.data(), 0, CUDA_SCRATCH_BYTES);
    }
};

static double expected(enum stream_op op, double a, double b)
{
    switch (op) {
    case STREAM_WRITE: return SCALAR;
    case STREAM_COPY: return a;
    case STREAM_SCALE: return SCALAR * a;
    case STREAM_ADD: return a + b;
    default: return a + SCALAR * b;
    }
}

template <class T>
static bool check_map(const char *rung, enum stream_op op, Array<T> &a, Array<T> &b, Array<T> &c,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double want = expected(op, static_cast<double>(a[i]), static_cast<double>(b[i]));
        if (static_cast<double>(c[i]) == want) /* exact, with values on this grid */
            continue;
        fprintf(stderr, "%s, op %d, %zu elements of %zu bytes: element %zu is %g, not %g\n", rung,
                op, count, sizeof(T), i, static_cast<double>(c[i]), want);
        return false;
    }
    return true;
}

template <class T>
static bool check_sum(const char *rung, Array<T> &a, Array<T> &c, size_t count)
{
    double want = 0;
    for (size_t i = 0; i < count; i++)
        want += static_cast<double>(a[i]);
    const double got = static_cast<double>(c[0]);
    if (std::fabs(got - want) <= 1e-6 * static_cast<double>(count))
        return true;
    fprintf(stderr, "%s: the sum of %zu elements is %g, not %g\n", rung, count, got, want);
    return false;
}

template <class T>
static bool check(size_t rung, enum stream_op op, enum stream_store store, size_t count,
                  int64_t passes, Grid &grid)
{
    Array<T> a(count), b(count), c(op == STREAM_READ ? 1 : count);
    for (size_t i = 0; i < count; i++) {
        a[i] = static_cast<T>(scattered(i));
        b[i] = static_cast<T>(scattered(i + 1000000));
    }
    const enum stream_type type = sizeof(T) == 4 ? STREAM_F32 : STREAM_F64;
    const bool reads_a = op != STREAM_WRITE, reads_b = op == STREAM_ADD || op == STREAM_TRIAD;
    const struct stream_args args = {op,
                                     store,
                                     type,
                                     static_cast<int64_t>(count),
                                     SCALAR,
                                     reads_a ? a.data() : nullptr,
                                     reads_b ? b.data() : nullptr,
                                     c.data()};
    if (rungs[rung].launch(&args, &grid.grid, passes, nullptr) != 0) {
        fprintf(stderr, "%s refuses op %d\n", rungs[rung].name, op);
        return false;
    }
    if (!a.margins_are_whole() || !b.margins_are_whole() || !c.margins_are_whole()) {
        fprintf(stderr, "%s writes beside an array of %zu\n", rungs[rung].name, count);
        return false;
    }
    return op == STREAM_READ ? check_sum<T>(rungs[rung].name, a, c, count)
                             : check_map<T>(rungs[rung].name, op, a, b, c, count);
}

/* Around a vector of 4 and 2, a block of 256, a grid of 1024 threads, and tiles of 1024 vectors. */
static const size_t counts[] = {1,    2,    3,    5,    7,    255,  256,   1023,
                                1025, 2047, 4096, 4101, 8191, 9999, 16387, 20001};

template <class T>
static bool check_rung(size_t rung)
{
    bool is_right = true;
    Grid grid;
    for (int op = 0; op < STREAM_OP_COUNT; op++)
        for (int store = 0; store < STREAM_STORE_COUNT; store++)
            for (const size_t count : counts)
                is_right = check<T>(rung, static_cast<enum stream_op>(op),
                                    static_cast<enum stream_store>(store), count,
                                    count % 3 == 0 ? 2 : 1, grid) &&
                           is_right;
    return is_right;
}

static bool scalar()
{
    return check_rung<float>(0) & check_rung<double>(0);
}

static bool vector()
{
    return check_rung<float>(1) & check_rung<double>(1);
}

static bool unrolled()
{
    return check_rung<float>(2) & check_rung<double>(2);
}

int main(int argc, char **argv)
{
    return run_tests({{"scalar", scalar}, {"vector", vector}, {"unrolled", unrolled}}, argc - 1,
                     argv + 1);
}
