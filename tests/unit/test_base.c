/* What everything else stands on: failures with their trail, numbers as people read them, order
 * statistics. */
#include "harness/base/fold.h"
#include "harness/base/format.h"
#include "harness/base/quantile.h"
#include "harness/base/status.h"
#include "harness/base/units.h"
#include "tests/unit/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Failures. */

static enum status fail_at_the_bottom(int value)
{
    return FAIL(STATUS_IO, "value %d is no good", value);
}

static enum status pass_on(int value)
{
    TRY(value ? fail_at_the_bottom(value) : STATUS_OK);
    return STATUS_OK;
}

static enum status pass_on_again(int value)
{
    TRY(pass_on(value));
    return STATUS_OK;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void a_failure_carries_its_sentence_and_its_trail(void **state)
{
    (void)state;
    assert_int_equal(pass_on_again(0), STATUS_OK);
    assert_int_equal(pass_on_again(7), STATUS_IO);
    assert_string_equal(error_message(), "value 7 is no good");
    const char *trail = error_trail();
    assert_int_equal(count_lines(trail), 3);
    const char *at = strstr(trail, "  at "), *by = strstr(trail, "  by ");
    assert_ptr_equal(at, trail);
    assert_non_null(by);
    assert_non_null(strstr(by + 1, "  by "));
    assert_non_null(strstr(at, "test_base.c:"));
}

static void a_new_failure_begins_a_new_trail(void **state)
{
    (void)state;
    assert_int_equal(pass_on_again(1), STATUS_IO);
    assert_int_equal(fail_at_the_bottom(2), STATUS_IO);
    assert_string_equal(error_message(), "value 2 is no good");
    assert_int_equal(count_lines(error_trail()), 1);
}

static void a_failure_may_quote_the_one_before(void **state)
{
    (void)state;
    fail_at_the_bottom(3);
    assert_int_equal(FAIL(STATUS_CHILD, "again: %s", error_message()), STATUS_CHILD);
    assert_string_equal(error_message(), "again: value 3 is no good");
}

static void overlong_sentences_and_trails_are_cut(void **state)
{
    (void)state;
    char longer[3000];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    enum status status = FAIL(STATUS_IO, "%s", longer);
    for (int i = 0; i < 200; i++)
        status = error_pass(__FILE__, __LINE__, status);
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(strlen(error_message()), 1023);
    assert_int_equal(strlen(error_trail()), 1023);
}

static void *fail_elsewhere(void *unused)
{
    (void)unused;
    fail_at_the_bottom(99);
    return NULL;
}

static void every_thread_has_a_sentence_of_its_own(void **state)
{
    (void)state;
    pthread_t thread;
    fail_at_the_bottom(4);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(error_message(), "value 4 is no good");
}

static void a_status_has_its_exit_code_and_its_text(void **state)
{
    (void)state;
    assert_int_equal(status_exit_code(STATUS_OK), 0);
    assert_int_equal(status_exit_code(STATUS_WRONG_ANSWER), 1);
    assert_int_equal(status_exit_code(STATUS_BAD_ARGUMENT), 2);
    assert_int_equal(status_exit_code(STATUS_SKIP), 77);
    for (int i = STATUS_NO_MEMORY; i < STATUS_SKIP; i++)
        assert_int_equal(status_exit_code((enum status)i), 3);
    for (int i = STATUS_OK; i <= STATUS_SKIP; i++)
        assert_true(strlen(status_text((enum status)i)) > 0);
    assert_string_equal(status_text(STATUS_NO_MEMORY), "out of memory");
}

/* ---- Numbers. */

static void check_folded(const char *text, int column, int indent, const char *expected)
{
    char *got = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&got, &size);
    fold_print(file, text, column, indent);
    fclose(file);
    assert_string_equal(got, expected);
    free(got);
}

static void sentences_are_broken_before_column_80(void **state)
{
    (void)state;
#define TEN "123456789 "
    check_folded("", 0, 2, "\n");
    check_folded("a  b", 0, 2, "a b\n");
    check_folded(TEN TEN TEN TEN TEN TEN TEN "1234567890", 0, 2, /* 80 columns: they fit */
                 TEN TEN TEN TEN TEN TEN TEN "1234567890\n");
    check_folded(TEN TEN TEN TEN TEN TEN TEN "12345678901", 0, 2,
                 TEN TEN TEN TEN TEN TEN "123456789\n  12345678901\n");
    check_folded("abc defg", 75, 13, "abc\n             defg\n");
    check_folded("abc", 79, 13, "abc\n"); /* the first word stands where it was put */
}

static void rates_have_three_digits_and_a_decimal_prefix(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *expected;
    } cases[] = {
        {35.213e9, "35.2 GB/s"},
        {206e9, "206 GB/s"},
        {1e12, "1.00 TB/s"},
        {999.4, "999 B/s"},
        {999.6, "1.00 kB/s"},
        {9.994e6, "9.99 MB/s"},
        {9.996e6, "10.0 MB/s"},
        {99.96e6, "100 MB/s"},
        {1, "1.00 B/s"},
        {0.5, "500 mB/s"},
        {1.234e18, "1.23 EB/s"},
        {1.5e15, "1.50 PB/s"},
        {2e-12, "2.00 pB/s"},
        {0, "-"},
        {-1, "-"},
        {(double)NAN, "-"},
        {(double)INFINITY, "-"},
        {12345e18, "12345 EB/s"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        assert_string_equal(format_si(cases[i].value, "B/s", text, sizeof(text)),
                            cases[i].expected);
    }
}

static void a_wide_interval_leaves_fewer_digits(void **state)
{
    (void)state;
    static const struct {
        double value, half_width;
        const char *expected;
    } cases[] = {
        {35.213e9, 0, "35.2 GB/s"},     {35.213e9, 0.05, "35.2 GB/s"}, {35.213e9, 0.051, "35 GB/s"},
        {206e9, 0.2, "210 GB/s"},       {3.456e9, 0.2, "3.5 GB/s"},    {206e9, 0.51, "~200 GB/s"},
        {3.456e9, INFINITY, "~3 GB/s"}, {35.2e9, NAN, "~40 GB/s"},     {0, 0.01, "-"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        assert_string_equal(
            format_measured(cases[i].value, cases[i].half_width, "B/s", text, sizeof(text)),
            cases[i].expected);
    }
}

static void seconds_go_from_picoseconds_up(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(format_seconds(412e-6, text, sizeof(text)), "412 us");
    assert_string_equal(format_seconds(1.25e-3, text, sizeof(text)), "1.25 ms");
    assert_string_equal(format_seconds(46.1e-9, text, sizeof(text)), "46.1 ns");
    assert_string_equal(format_seconds(3, text, sizeof(text)), "3.00 s");
    assert_string_equal(format_seconds(0, text, sizeof(text)), "-");
}

static void bytes_have_a_binary_prefix(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *expected;
    } cases[] = {
        {1, "1 B"},
        {1023, "1023 B"},
        {1024, "1 KiB"},
        {4096, "4 KiB"},
        {1572864, "1.50 MiB"},
        {508 * 0x1p20, "508 MiB"},
        {0x1p40, "1 TiB"},
        {33.3 * 0x1p30, "33.3 GiB"},
        {5000 * 0x1p50, "5000 PiB"},
        {0, "-"},
        {-5, "-"},
        {(double)NAN, "-"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        assert_string_equal(format_bytes(cases[i].bytes, text, sizeof(text)), cases[i].expected);
    }
}

static void units_are_powers_of_two(void **state)
{
    (void)state;
    assert_true(KIB(3) == 3072 && MIB(1) == 1048576 && GIB(4) == INT64_C(4294967296));
}

/* ---- Order statistics. */

static void quantiles_interpolate_between_the_closest_ranks(void **state)
{
    (void)state;
    double values[] = {40, 10, 30, 20};
    quantile_sort(values, 4);
    assert_true(values[0] == 10 && values[1] == 20 && values[2] == 30 && values[3] == 40);
    assert_true(quantile_of_sorted(values, 4, 0) == 10);
    assert_true(quantile_of_sorted(values, 4, 0.25) == 17.5);
    assert_true(quantile_of_sorted(values, 4, 0.5) == 25);
    assert_true(quantile_of_sorted(values, 4, 1) == 40);
    assert_true(quantile_of_sorted(values, 1, 0.7) == 10);
}

/* The ends of the median's interval as ranks: with values 2^0, 2^1 ... their distance tells both.
 */
static void find_ranks(int count, int *low, int *high)
{
    double values[48];
    for (int i = 0; i < count; i++)
        values[i] = ldexp(1, i);
    double median = quantile_of_sorted(values, (size_t)count, 0.5);
    double distance = quantile_median_half_width(values, (size_t)count) * 2 * median;
    int64_t bits = llround(distance); /* 2^high - 2^low */
    *low = __builtin_ctzll((unsigned long long)bits);
    *high = 64 - __builtin_clzll((unsigned long long)bits);
}

static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Of an exponential distribution the median is ln 2. */
static void check_coverage(int count)
{
    enum { DRAWS = 2000 };
    double values[48];
    uint64_t random = 88172645463325252u + (uint64_t)count;
    int low, high, held = 0;
    find_ranks(count, &low, &high);
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < count; i++)
            values[i] = -log(1 - uniform(&random));
        quantile_sort(values, (size_t)count);
        held += values[low] <= log(2) && log(2) <= values[high];
    }
    if (held < DRAWS * 93 / 100 || held > DRAWS * 995 / 1000)
        fail_msg("%d of %d intervals of ranks %d to %d of %d hold the median", held, DRAWS, low,
                 high, count);
}

static void the_medians_interval_holds_it_in_93_of_100_sets_or_more(void **state)
{
    (void)state;
    int low, high;
    find_ranks(20, &low, &high);
    assert_true(low == 5 && high == 15); /* 10 -+ 4.38, outward */
    check_coverage(20);
    check_coverage(41);
}

static void below_six_values_there_is_no_interval(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6};
    assert_true(isinf(quantile_median_half_width(values, 5)));
    assert_true(isfinite(quantile_median_half_width(values, 6)));
}

static void the_interval_neither_needs_nor_changes_the_order(void **state)
{
    (void)state;
    double mixed[20], sorted[20], before[20];
    for (int i = 0; i < 20; i++)
        mixed[i] = before[i] = sorted[i] = 1 + (i * 7) % 20;
    quantile_sort(sorted, 20);
    double width = quantile_median_half_width(mixed, 20);
    assert_true(width == quantile_median_half_width(sorted, 20));
    assert_true(fabs(width - 10 / 21.0) < 1e-12); /* ranks 6 and 16, median 10.5 */
    assert_memory_equal(mixed, before, sizeof(mixed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_carries_its_sentence_and_its_trail),
        cmocka_unit_test(a_new_failure_begins_a_new_trail),
        cmocka_unit_test(a_failure_may_quote_the_one_before),
        cmocka_unit_test(overlong_sentences_and_trails_are_cut),
        cmocka_unit_test(every_thread_has_a_sentence_of_its_own),
        cmocka_unit_test(a_status_has_its_exit_code_and_its_text),
        cmocka_unit_test(sentences_are_broken_before_column_80),
        cmocka_unit_test(rates_have_three_digits_and_a_decimal_prefix),
        cmocka_unit_test(a_wide_interval_leaves_fewer_digits),
        cmocka_unit_test(seconds_go_from_picoseconds_up),
        cmocka_unit_test(bytes_have_a_binary_prefix),
        cmocka_unit_test(units_are_powers_of_two),
        cmocka_unit_test(quantiles_interpolate_between_the_closest_ranks),
        cmocka_unit_test(the_medians_interval_holds_it_in_93_of_100_sets_or_more),
        cmocka_unit_test(below_six_values_there_is_no_interval),
        cmocka_unit_test(the_interval_neither_needs_nor_changes_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
