#include "harness/base/units.h"
#include "harness/measure/levels_internal.h"
#include "tests/unit/test.h"

#include <stdlib.h>

enum { LINE_BYTES = 64 };

/* Steps until the ring returns to its start, at most limit. */
static int64_t period(void **start, int64_t limit)
{
    int64_t steps = 0;
    void **at = start;
    do {
        at = *at;
        steps++;
    } while (at != start && steps < limit);
    return steps;
}

/* A shorter ring would fit a smaller cache, and every capacity would come out too large. */
static void the_ring_visits_every_line_once(void **state)
{
    (void)state;
    for (int64_t lines = KIB(8) / LINE_BYTES; lines <= MIB(4) / LINE_BYTES; lines *= 2)
        for (int64_t factor = 2; factor <= 3; factor++) {
            int64_t count = lines / 2 * factor;
            char *base = malloc((size_t)(count * LINE_BYTES));
            assert_non_null(base);
            latency_ring_build(base, count);
            int64_t found = period((void **)base, 2 * count);
            free(base);
            assert_int_equal(found, count);
        }
}

/* Steps of one length would let a stride prefetcher run ahead of the chase. */
static void hardly_two_steps_of_the_ring_are_equally_long(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    static char base[COUNT * LINE_BYTES] __attribute__((aligned(LINE_BYTES)));
    latency_ring_build(base, COUNT);
    int repeats = 0;
    ptrdiff_t last = 0;
    char *at = base;
    for (int i = 0; i < COUNT; i++) {
        char *next = *(char **)at;
        repeats += next - at == last || labs(next - at) <= 2 * LINE_BYTES;
        last = next - at;
        at = next;
    }
    assert_true(repeats < COUNT / 100);
}

static void a_measured_curve_ascends_in_size_and_has_plausible_times(void **state)
{
    (void)state;
    struct latency_curve curve;
    assert_int_equal(latency_curve_measure(&curve, MIB(1), 0.05), STATUS_OK);
    assert_int_equal(curve.size_bytes[0], KIB(8));
    for (int i = 0; i < curve.count; i++) {
        assert_true(curve.seconds[i] > 1e-10 && curve.seconds[i] < 1e-5);
        if (i > 0) {
            assert_true(curve.size_bytes[i] > curve.size_bytes[i - 1]);
            assert_true(2 * curve.size_bytes[i] <= 3 * curve.size_bytes[i - 1]);
        }
    }
    assert_true(curve.size_bytes[curve.count - 1] <= MIB(1));
}

static void without_time_the_claims_stand(void **state)
{
    (void)state;
    struct levels claimed, probed;
    levels_claimed(&claimed);
    assert_int_equal(levels_probe(&probed, 0), STATUS_OK);
    assert_int_equal(probed.count, claimed.count);
    assert_int_equal(levels_last_bytes(&probed), levels_last_bytes(&claimed));
    assert_int_equal(probed.level[0].probed_bytes, 0);
}

static void a_probe_of_this_machine_yields_ascending_levels(void **state)
{
    (void)state;
    struct levels levels;
    assert_int_equal(levels_probe(&levels, 0.1), STATUS_OK);
    assert_in_range(levels.count, 1, LEVELS_MAX);
    for (int i = 1; i < levels.count; i++)
        assert_true(levels.level[i].capacity_bytes > levels.level[i - 1].capacity_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ring_visits_every_line_once),
        cmocka_unit_test(hardly_two_steps_of_the_ring_are_equally_long),
        cmocka_unit_test(a_measured_curve_ascends_in_size_and_has_plausible_times),
        cmocka_unit_test(without_time_the_claims_stand),
        cmocka_unit_test(a_probe_of_this_machine_yields_ascending_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
