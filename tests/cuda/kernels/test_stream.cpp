/* The stream ladder, emulated: every operation, type, store and rung at small, odd and ragged
 * sizes, against the definition in double. */
#include "kernels/stream/stream_cuda.h"
#include "tests/cuda/emulation/emulation.h"
#include "tests/cuda/kernels/check.h"

typedef int (*rung)(const struct stream_args *, const struct cuda_grid *, int64_t, void *);
static const rung rungs[] = {stream_cuda_0_scalar, stream_cuda_1_vector, stream_cuda_2_unrolled};
static const int64_t counts[] = {1, 2, 3, 4, 5, 31, 255, 257, 1023, 1024, 1029, 4096, 8195, 10007};
static const struct {
    int multiprocessors, blocks;
} shapes[] = {{1, 1}, {3, 1}, {2, 4}, {300, 1}};
enum { USUAL_SHAPES = 3, MANY_BLOCKS = 3 };
static const double scalar = 3;

static double value_a(int64_t i)
{
    return scatter(1, static_cast<uint64_t>(i)) / 1024.0;
}

static double value_b(int64_t i)
{
    return scatter(2, static_cast<uint64_t>(i)) / 1024.0;
}

static double value_c(enum stream_op op, int64_t i)
{
    switch (op) {
    case STREAM_WRITE: return scalar;
    case STREAM_COPY: return value_a(i);
    case STREAM_SCALE: return scalar * value_a(i);
    case STREAM_ADD: return value_a(i) + value_b(i);
    default: return value_a(i) + scalar * value_b(i);
    }
}

/* Sums are exact: whole multiples of 2^-10 below 2^14. */
template <class T>
static void check_result(enum stream_op op, int64_t count, DeviceArray<T> &c)
{
    if (op == STREAM_READ) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++)
            sum += value_a(i);
        expect(static_cast<double>(c[0]) == sum, "sum of %ld: %.17g, not %.17g",
               static_cast<long>(count), static_cast<double>(c[0]), sum);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const double is = static_cast<double>(c[static_cast<size_t>(i)]);
        expect(is == value_c(op, i), "op %d, c[%ld] of %ld: %.17g, not %.17g", op,
               static_cast<long>(i), static_cast<long>(count), is, value_c(op, i));
    }
}

template <class T>
static void run(rung launch, enum stream_op op, enum stream_store store, int64_t count, int shape)
{
    const size_t n = static_cast<size_t>(count);
    const bool reads_a = op != STREAM_WRITE, reads_b = op == STREAM_ADD || op == STREAM_TRIAD;
    DeviceArray<T> a(reads_a ? n : 0), b(reads_b ? n : 0), c(op == STREAM_READ ? 1 : n);
    DeviceArray<unsigned char> scratch(CUDA_SCRATCH_BYTES);
    memset(scratch.data(), 0, scratch.size());
    for (size_t i = 0; i < a.size(); i++)
        a[i] = static_cast<T>(value_a(static_cast<int64_t>(i)));
    for (size_t i = 0; i < b.size(); i++)
        b[i] = static_cast<T>(value_b(static_cast<int64_t>(i)));
    const struct cuda_grid grid = {shapes[shape].multiprocessors, shapes[shape].blocks,
                                   scratch.data()};
    const struct stream_args args = {op,
                                     store,
                                     sizeof(T) == 4 ? STREAM_F32 : STREAM_F64,
                                     count,
                                     scalar,
                                     reads_a ? a.data() : nullptr,
                                     reads_b ? b.data() : nullptr,
                                     c.data()};
    for (int64_t passes = 1; passes <= 2; passes++) {
        expect(launch(&args, &grid, passes, nullptr) == 0, "the launch failed");
        check_result(op, count, c);
        expect(emulation::counters.shared_conflicts == 0, "bank conflicts");
        expect((emulation::counters.shared_accesses > 0) == (op == STREAM_READ),
               "op %d uses shared memory %lu times", op, emulation::counters.shared_accesses);
    }
    for (size_t i = 0; i < CUDA_SCRATCH_TICKET_BYTES; i++)
        expect(scratch[i] == 0, "a ticket is left");
}

static void run_all(enum stream_op op)
{
    for (const rung launch : rungs)
        for (const int64_t count : counts)
            for (int shape = 0; shape < USUAL_SHAPES; shape++) {
                run<float>(launch, op, STREAM_PLAIN, count, shape);
                run<float>(launch, op, STREAM_NONTEMPORAL, count, shape);
                run<double>(launch, op, STREAM_PLAIN, count, shape);
                run<double>(launch, op, STREAM_NONTEMPORAL, count, shape);
            }
}

/* The last block adds up the others' sums: more of them than it has threads. */
static void many_blocks_are_added_up()
{
    for (const rung launch : rungs)
        run<float>(launch, STREAM_READ, STREAM_PLAIN, 400007, MANY_BLOCKS);
}

static void bad_arguments_are_refused()
{
    DeviceArray<float> c(1);
    DeviceArray<unsigned char> scratch(CUDA_SCRATCH_BYTES);
    const struct cuda_grid one = {1, 1, scratch.data()}, none = {0, 8, scratch.data()};
    const struct cuda_grid vast = {CUDA_MOST_BLOCKS + 1, 1, scratch.data()};
    struct stream_args args = {STREAM_WRITE, STREAM_PLAIN, STREAM_F32, 1, 3,
                               nullptr,      nullptr,      c.data()};
    for (const rung launch : rungs) {
        expect(launch(&args, &one, 0, nullptr) == 1, "no pass was taken");
        expect(launch(&args, &none, 1, nullptr) == 1, "a grid without blocks was taken");
        expect(launch(&args, &vast, 1, nullptr) == 1, "a grid beyond the scratch was taken");
        args.count = 0;
        expect(launch(&args, &one, 1, nullptr) == 1, "an empty array was taken");
        args.count = 1;
    }
}

template <enum stream_op op>
static void run_op()
{
    run_all(op);
}

int main()
{
    return run_tests({
        {"read leaves the sum of all elements, whatever their number", run_op<STREAM_READ>},
        {"read adds up more blocks than a block has threads", many_blocks_are_added_up},
        {"write fills every element and none beyond", run_op<STREAM_WRITE>},
        {"copy is right at every size", run_op<STREAM_COPY>},
        {"scale is right at every size", run_op<STREAM_SCALE>},
        {"add is right at every size", run_op<STREAM_ADD>},
        {"triad is right at every size", run_op<STREAM_TRIAD>},
        {"arguments that break the rules are refused", bad_arguments_are_refused},
    });
}
