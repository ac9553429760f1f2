#include "harness/base/clock.h"
#include "harness/base/status.h"
#include "harness/measure/team.h"
#include "tests/unit/test.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2 };

/* The first processors that this process may use; the last one again where there are too few. */
static void find_cpus(int cpus[THREADS])
{
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    int found = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && found < THREADS; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[found++] = cpu;
    assert_true(found > 0);
    for (; found < THREADS; found++)
        cpus[found] = cpus[found - 1];
}

static struct team *open_team(int cpus[THREADS])
{
    struct team *team = NULL;
    find_cpus(cpus);
    assert_int_equal(team_open(cpus, THREADS, &team), STATUS_OK);
    return team;
}

struct seen {
    int calls[THREADS], cpu[THREADS], thread_count[THREADS];
};

static void look_around(void *untyped, int thread, int thread_count)
{
    struct seen *seen = untyped;
    seen->calls[thread]++;
    seen->cpu[thread] = sched_getcpu();
    seen->thread_count[thread] = thread_count;
}

static void every_thread_runs_the_body_once_on_its_own_processor(void **state)
{
    (void)state;
    int cpus[THREADS];
    struct team *team = open_team(cpus);
    struct seen seen = {0};
    team_run(team, look_around, &seen);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(seen.calls[i], 1);
        assert_int_equal(seen.cpu[i], cpus[i]);
        assert_int_equal(seen.thread_count[i], THREADS);
    }
    team_close(team);
}

static void a_resized_team_leaves_the_others_out_and_takes_them_back(void **state)
{
    (void)state;
    enum { ROUNDS = 1000 };
    int cpus[THREADS];
    struct team *team = open_team(cpus);
    struct seen seen = {0};
    assert_int_equal(team_capacity(team), THREADS);
    for (int round = 0; round < ROUNDS; round++) {
        team_resize(team, 1 + round % THREADS);
        assert_int_equal(team_size(team), 1 + round % THREADS);
        team_run(team, look_around, &seen);
        assert_int_equal(seen.thread_count[0], 1 + round % THREADS);
    }
    assert_int_equal(seen.calls[0], ROUNDS);
    assert_int_equal(seen.calls[1], ROUNDS / THREADS);
    team_close(team);
}

static void no_run_is_lost_whether_the_workers_spin_or_sleep(void **state)
{
    (void)state;
    enum { SHORT_RUNS = 5000, NAPS = 20, NAP_MICROSECONDS = 2000 };
    int cpus[THREADS];
    struct team *team = open_team(cpus);
    struct seen seen = {0};
    for (int i = 0; i < SHORT_RUNS; i++)
        team_run(team, look_around, &seen);
    for (int i = 0; i < NAPS; i++) {
        usleep(NAP_MICROSECONDS);
        team_run(team, look_around, &seen);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(seen.calls[i], SHORT_RUNS + NAPS);
    team_close(team);
}

#define WORK_SECONDS 3e-3

static void keep_last_thread_busy(void *untyped, int thread, int thread_count)
{
    (void)untyped;
    const double begin_seconds = clock_seconds();
    while (thread == thread_count - 1 && clock_seconds() - begin_seconds < WORK_SECONDS)
        ;
}

static void the_span_lasts_until_the_slowest_thread_and_adds_up_over_runs(void **state)
{
    (void)state;
    int cpus[THREADS];
    struct team *team = open_team(cpus);
    assert_true(team_take_span_seconds(team) == 0);

    const double begin_seconds = clock_seconds();
    team_run(team, keep_last_thread_busy, NULL);
    team_run(team, keep_last_thread_busy, NULL);
    const double wall_seconds = clock_seconds() - begin_seconds;
    const double span_seconds = team_take_span_seconds(team);
    assert_true(span_seconds >= 2 * WORK_SECONDS);
    assert_true(span_seconds <= wall_seconds);
    assert_true(team_take_span_seconds(team) == 0);
    team_close(team);
}

static void the_parts_cover_every_item_once_and_begin_on_granules(void **state)
{
    (void)state;
    const int64_t counts[] = {1, 7, 8, 9, 64, 65, 1000, 4097};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        for (int thread_count = 1; thread_count <= 7; thread_count++) {
            assert_int_equal(team_part_begin(counts[i], 8, 0, thread_count), 0);
            for (int thread = 0; thread < thread_count; thread++) {
                int64_t begin = team_part_begin(counts[i], 8, thread, thread_count);
                int64_t end = team_part_begin(counts[i], 8, thread + 1, thread_count);
                assert_true(begin <= end);
                assert_true(begin % 8 == 0 || begin == counts[i]);
            }
            assert_int_equal(team_part_begin(counts[i], 8, thread_count, thread_count), counts[i]);
        }
}

static void closing_gives_the_caller_its_processors_back(void **state)
{
    (void)state;
    cpu_set_t before, during, after;
    int cpus[THREADS];
    sched_getaffinity(0, sizeof(before), &before);
    struct team *team = open_team(cpus);
    sched_getaffinity(0, sizeof(during), &during);
    team_close(team);
    sched_getaffinity(0, sizeof(after), &after);
    assert_int_equal(CPU_COUNT(&during), 1);
    assert_true(CPU_ISSET(cpus[0], &during));
    assert_true(CPU_EQUAL(&before, &after));
}

static void a_processor_that_is_not_there_is_refused_by_its_number(void **state)
{
    (void)state;
    int cpus[THREADS];
    cpu_set_t before, after;
    struct team *team = NULL;
    sched_getaffinity(0, sizeof(before), &before);
    find_cpus(cpus);
    cpus[1] = CPU_SETSIZE - 1;
    assert_int_equal(team_open(cpus, THREADS, &team), STATUS_DEVICE);
    assert_non_null(strstr(error_message(), "processor 1023"));
    cpus[1] = -1;
    assert_int_equal(team_open(cpus, THREADS, &team), STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error_message(), "processor -1"));
    assert_null(team);
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_runs_the_body_once_on_its_own_processor),
        cmocka_unit_test(a_resized_team_leaves_the_others_out_and_takes_them_back),
        cmocka_unit_test(no_run_is_lost_whether_the_workers_spin_or_sleep),
        cmocka_unit_test(the_span_lasts_until_the_slowest_thread_and_adds_up_over_runs),
        cmocka_unit_test(the_parts_cover_every_item_once_and_begin_on_granules),
        cmocka_unit_test(closing_gives_the_caller_its_processors_back),
        cmocka_unit_test(a_processor_that_is_not_there_is_refused_by_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
