/* The small kernels beside the ladders, emulated: latch, clock stamp, flush. */
#include "kernels/cuda/clock_stamp.h"
#include "kernels/cuda/flush.h"
#include "kernels/cuda/latch.h"
#include "tests/cuda/kernels/check.h"

static void an_open_latch_lets_go()
{
    struct cuda_latch latch = {1, CUDA_LATCH_WAITING};
    expect(cuda_latch_hold(&latch, UINT64_MAX, nullptr) == 0, "the launch failed");
    expect(latch.outcome == CUDA_LATCH_OPENED, "outcome %u", latch.outcome);
}

static void a_closed_latch_times_out()
{
    struct cuda_latch latch = {0, CUDA_LATCH_WAITING};
    expect(cuda_latch_hold(&latch, 1000000, nullptr) == 0, "the launch failed");
    expect(latch.outcome == CUDA_LATCH_TIMED_OUT, "outcome %u", latch.outcome);
    expect(latch.open == 0, "the device wrote the host's word");
}

static void two_stamps_give_the_clock()
{
    struct cuda_clock_stamp before, after;
    struct cuda_latch latch = {0, CUDA_LATCH_WAITING};
    expect(cuda_clock_stamp_write(&before, nullptr) == 0, "the launch failed");
    cuda_latch_hold(&latch, 2000000, nullptr);
    expect(cuda_clock_stamp_write(&after, nullptr) == 0, "the launch failed");
    const uint64_t cycles = after.cycles - before.cycles;
    const uint64_t nanoseconds = after.nanoseconds - before.nanoseconds;
    expect(nanoseconds >= 2000000, "%lu ns", nanoseconds);
    /* The emulated clock: 2 per ns; the two are not read at the same moment. */
    const double per_ns = static_cast<double>(cycles) / static_cast<double>(nanoseconds);
    expect(per_ns > 1.5 && per_ns < 2.5, "%g cycles per ns", per_ns);
    expect(before.multiprocessor == 0 && after.multiprocessor == 0, "multiprocessor");
}

static void flush_writes_every_word_and_none_beyond()
{
    static const int64_t sizes[] = {16, 48, 4096, 4112, 100000};
    const struct cuda_grid grid = {2, 2, nullptr}, none = {0, 2, nullptr};
    for (const int64_t bytes : sizes) {
        DeviceArray<uint32_t> buffer(static_cast<size_t>(bytes / 4));
        expect(cuda_flush_caches(buffer.data(), bytes, 7, &grid, nullptr) == 0, "failed");
        for (size_t i = 0; i < buffer.size(); i++)
            expect(buffer[i] == 7, "word %zu of %ld bytes: %u", i, static_cast<long>(bytes),
                   buffer[i]);
        expect(cuda_flush_caches(buffer.data(), bytes - 4, 7, &grid, nullptr) == 1, "ragged");
        expect(cuda_flush_caches(buffer.data(), bytes, 7, &none, nullptr) == 1, "no blocks");
    }
}

int main()
{
    return run_tests({
        {"an open latch lets go", an_open_latch_lets_go},
        {"a closed latch times out, and says so", a_closed_latch_times_out},
        {"two stamps give the clock", two_stamps_give_the_clock},
        {"flush writes every word and none beyond", flush_writes_every_word_and_none_beyond},
    });
}
