/* What the tests of CUDA kernels share: sentences for tests, arrays as the device has them, and
 * values to fill them with. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

struct Test {
    const char *sentence;
    void (*body)();
};

extern int failures;

/* Told up to ten times; counted always. */
template <class... Values>
void expect(bool is_right, const char *format, Values... values)
{
    enum { MOST_TOLD = 10 };
    if (is_right)
        return;
    if (failures++ < MOST_TOLD) {
        printf("    ");
        printf(format, values...);
        putchar('\n');
    }
}

template <size_t count>
int run_tests(const Test (&tests)[count])
{
    for (const Test &test : tests) {
        const int before = failures;
        test.body();
        printf("%s  %s\n", failures == before ? "ok  " : "FAIL", test.sentence);
        fflush(stdout);
    }
    return failures > 0;
}

/* Memory as cudaMalloc gives it, aligned to 256 bytes and not a byte longer than asked for, so that
 * the address sanitizer sees what reaches beyond; every byte 0xff: NaN, where it is a number. */
template <class T>
class DeviceArray
{
  public:
    explicit DeviceArray(size_t count) : count_(count)
    {
        void *memory = nullptr;
        if (posix_memalign(&memory, 256, count * sizeof(T) + (count == 0)) != 0)
            abort();
        memset(memory, 0xff, count * sizeof(T));
        begin_ = static_cast<T *>(memory);
    }
    ~DeviceArray()
    {
        free(begin_);
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *data()
    {
        return begin_;
    }
    T &operator[](size_t i)
    {
        return begin_[i];
    }
    size_t size() const
    {
        return count_;
    }

  private:
    T *begin_;
    size_t count_;
};

/* A whole number from -1023 to 1023 that looks random (the finisher of SplitMix64). */
inline int scatter(uint64_t stream, uint64_t i)
{
    uint64_t x = (stream << 40) + i + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return static_cast<int>(x % 2047) - 1023;
}
