/* What the tests of emulated kernels share: arrays with margins that must not change, and tests by
 * name. Checks return false and say on stderr what is wrong. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/* `count` elements of T between two margins, aligned to 16 bytes; everything begins as 0xa5. */
template <class T>
class Array
{
  public:
    explicit Array(size_t count) : count_(count), bytes_(count * sizeof(T) + 2 * MARGIN)
    {
        memory_ = static_cast<unsigned char *>(aligned_alloc(64, (bytes_ + 63) / 64 * 64));
        memset(memory_, FILL, bytes_);
    }
    ~Array()
    {
        free(memory_);
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    T *data()
    {
        return reinterpret_cast<T *>(memory_ + MARGIN);
    }
    T &operator[](size_t i)
    {
        return data()[i];
    }
    bool margins_are_whole() const
    {
        for (size_t i = 0; i < MARGIN; i++)
            if (memory_[i] != FILL || memory_[MARGIN + count_ * sizeof(T) + i] != FILL)
                return false;
        return true;
    }

  private:
    static constexpr size_t MARGIN = 128;
    static constexpr unsigned char FILL = 0xa5;
    size_t count_, bytes_;
    unsigned char *memory_;
};

/* Scattered over [-1, 1), on a grid of 2^-10. */
inline double scattered(uint64_t index)
{
    uint64_t z = index * UINT64_C(0x9e3779b97f4a7c15) + 12345;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return static_cast<double>((z >> 53) & 2047) / 1024 - 1;
}

struct Test {
    const char *name;
    bool (*run)();
};

/* Runs the tests named on the command line, or all; 1 where one is wrong or unknown. */
inline int run_tests(const std::vector<Test> &tests, int count, char **names)
{
    int wrong = 0, ran = 0;
    for (const Test &test : tests) {
        bool is_asked = count == 0;
        for (int i = 0; i < count; i++)
            is_asked = is_asked || strcmp(names[i], test.name) == 0;
        if (!is_asked)
            continue;
        const bool is_right = test.run();
        printf("%s %s\n", is_right ? "ok   " : "WRONG", test.name);
        wrong += !is_right;
        ran++;
    }
    return wrong || !ran ? 1 : 0;
}
