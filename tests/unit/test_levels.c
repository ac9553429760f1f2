#include "harness/base/units.h"
#include "harness/measure/levels_internal.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/test.h"

#include <math.h>
#include <string.h>

/* ---- Synthetic machines: up to three caches with capacities and latencies, then memory. */

struct cache {
    double capacity_bytes, latency_seconds;
};

/* Latency of a set in a hierarchy whose caches replace at random: of a set of S in a cache of C
 * a part h = exp(-(1 - h) S / C) hits. `softness` spreads each step over as many octaves. */
static double model_latency(const struct cache *caches, int count, double memory_seconds,
                            double size_bytes, double softness)
{
    double latency_seconds = memory_seconds;
    for (int i = count - 1; i >= 0; i--) {
        double load = pow(size_bytes / caches[i].capacity_bytes, 1 / softness), hit = 0;
        for (int step = 0; step < 200; step++)
            hit = exp(-(1 - hit) * load);
        if (load <= 1)
            hit = 1;
        latency_seconds = hit * caches[i].latency_seconds + (1 - hit) * latency_seconds;
    }
    return latency_seconds;
}

static struct latency_curve model_curve(const struct cache *caches, int count,
                                        double memory_seconds, double softness)
{
    struct latency_curve curve = {0};
    for (int64_t size = KIB(8); size <= MIB(256);) {
        curve.size_bytes[curve.count] = size;
        curve.seconds[curve.count++] =
            model_latency(caches, count, memory_seconds, (double)size, softness);
        size = size & (size - 1) ? size / 3 * 4 : size / 2 * 3;
    }
    return curve;
}

static const struct cache usual[] = {{KIB(32), 1.1e-9}, {MIB(1), 3.8e-9}, {MIB(32), 15e-9}};
static const double usual_memory_seconds = 120e-9;

static struct latency_curve usual_curve(void)
{
    return model_curve(usual, 3, usual_memory_seconds, 1);
}

/* Claims as levels_claimed leaves them; sysfs 0: only CPUID speaks. */
static struct levels claims(int64_t l1, int64_t l2, int64_t l3_sysfs, int64_t l3_cpuid)
{
    struct levels levels = {0};
    const int64_t sysfs[] = {l1, l2, l3_sysfs ? l3_sysfs : l3_cpuid}, cpuid[] = {l1, l2, l3_cpuid};
    for (int i = 0; i < 3 && sysfs[i]; i++) {
        struct level *level = &levels.level[levels.count++];
        snprintf(level->name, sizeof(level->name), "L%d", i + 1);
        level->capacity_bytes = level->claimed_bytes = sysfs[i];
        level->cpuid_bytes = cpuid[i];
        level->shared = i == 2;
    }
    return levels;
}

static void assert_capacities(const struct levels *levels, const char *expected)
{
    char text[128];
    assert_string_equal(levels_format(levels, text, sizeof(text)), expected);
}

static void an_honest_machine_keeps_its_claims(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(32));
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_true(fabs(levels.level[1].latency_seconds / 3.8e-9 - 1) < 0.1);
    assert_true(fabs(levels.memory_latency_seconds / usual_memory_seconds - 1) < 0.3);
}

static void a_claim_of_508_mib_gives_way_to_the_32_that_answer(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(48), MIB(1), 0, MIB(508));
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_int_equal(levels_last_bytes(&levels), MIB(32));
    assert_int_equal(levels.level[2].claimed_bytes, MIB(508));
    assert_int_equal(levels.level[2].probed_bytes, MIB(32));
}

static void sysfs_is_believed_where_cpuid_exaggerates(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(320));
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_int_equal(levels.level[2].cpuid_bytes, MIB(320));
}

static void cpuid_is_believed_where_sysfs_exaggerates(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(320), MIB(36));
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_int_equal(levels_last_bytes(&levels), MIB(36));
}

static void without_claims_the_steps_are_the_levels(void **state)
{
    (void)state;
    const int64_t nothing[LEVELS_MAX] = {0};
    struct levels levels;
    struct latency_curve curve = usual_curve();
    levels_claimed_at("/nonexistent", nothing, &levels);
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_int_equal(levels.level[0].claimed_bytes, 0);
}

static void without_claims_and_without_a_curve_small_caches_are_assumed(void **state)
{
    (void)state;
    const int64_t nothing[LEVELS_MAX] = {0};
    struct levels levels;
    struct latency_curve curve = {0};
    levels_claimed_at("/nonexistent", nothing, &levels);
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576");
}

/* Two of three points twice to thrice too slow: one-sided, as noise is. */
static void noise_that_slows_half_of_the_points_changes_nothing(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(320));
    struct latency_curve curve = usual_curve();
    for (int i = 0; i < curve.count; i++)
        curve.seconds[i] *= i % 2 ? 2 + 0.3 * (i % 4) : 1.02;
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
}

static void an_unclaimed_l3_is_found(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), 0, 0);
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_int_equal(levels.level[2].claimed_bytes, 0);
}

static void a_claimed_l3_that_is_not_there_is_taken_off(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(32));
    struct latency_curve curve = model_curve(usual, 2, usual_memory_seconds, 1);
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576");
}

static void a_soft_step_of_a_shared_l3_keeps_the_claim(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(320));
    struct cache caches[3] = {usual[0], usual[1], usual[2]};
    caches[2].capacity_bytes = (double)MIB(12); /* neighbours hold the rest */
    struct latency_curve curve = model_curve(caches, 3, usual_memory_seconds, 2);
    levels_decide(&levels, &curve);
    assert_int_equal(levels_last_bytes(&levels), MIB(32));
    assert_in_range(levels.level[2].probed_bytes, MIB(8), MIB(24));
}

/* Measured in a virtual machine with 32 MiB of L3 while its neighbours were busy. */
static void a_curve_measured_beside_busy_neighbours_keeps_the_claim(void **state)
{
    (void)state;
    static const double nanoseconds[] = {1.08,  1.08,  1.08, 1.08, 1.14,  2.64, 3.79, 3.79,
                                         3.79,  3.79,  3.79, 4.37, 4.70,  6.42, 8.44, 11.7,
                                         13.4,  15.3,  16.0, 18.1, 20.2,  30.5, 66.9, 124.5,
                                         131.4, 138.5, 142,  143,  144.6, 146,  150};
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(320));
    struct latency_curve curve = usual_curve();
    assert_int_equal(curve.count, sizeof(nanoseconds) / sizeof(nanoseconds[0]));
    for (int i = 0; i < curve.count; i++)
        curve.seconds[i] = 1e-9 * nanoseconds[i];
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_int_equal(levels.level[2].probed_bytes, MIB(12));
}

/* Measured in the same machine: a disturbed second half of L2, which is not two caches. */
static void a_dent_in_a_soft_step_does_not_make_two_levels_of_it(void **state)
{
    (void)state;
    static const double nanoseconds[] = {1.09, 1.09, 1.09, 1.09, 1.20, 2.65, 3.79, 3.79,
                                         3.79, 3.79, 4.24, 5.05, 6.13, 6.31, 8.20, 11.8,
                                         12.7, 13.8, 14.5, 15.0, 15.5, 16.8, 21.2, 37.5,
                                         69.8, 105,  118,  128,  139,  143,  147};
    const int64_t nothing[LEVELS_MAX] = {0};
    struct levels levels;
    struct latency_curve curve = usual_curve();
    assert_int_equal(curve.count, sizeof(nanoseconds) / sizeof(nanoseconds[0]));
    for (int i = 0; i < curve.count; i++)
        curve.seconds[i] = 1e-9 * nanoseconds[i];
    levels_claimed_at("/nonexistent", nothing, &levels);
    levels_decide(&levels, &curve);
    assert_int_equal(levels.count, 3);
}

static void a_private_cache_is_never_excused_by_neighbours(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(4), MIB(32), MIB(32));
    struct latency_curve curve = usual_curve();
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
}

static void a_real_320_mib_beyond_the_curve_stays_unprobed(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(48), MIB(2), MIB(320), MIB(320));
    const struct cache large[] = {{KIB(48), 1.2e-9}, {MIB(2), 4e-9}, {MIB(320), 40e-9}};
    struct latency_curve curve = model_curve(large, 3, usual_memory_seconds, 1);
    levels_decide(&levels, &curve);
    assert_capacities(&levels, "L1=49152,L2=2097152,L3=335544320*");
    assert_int_equal(levels.level[2].probed_bytes, 0);
    assert_true(levels.memory_latency_seconds == 0);
}

static void interpolation_is_logarithmic_and_ends_flat(void **state)
{
    (void)state;
    struct latency_curve curve = {.count = 2, .size_bytes = {100, 400}, .seconds = {1, 4}};
    assert_true(fabs(latency_curve_at(&curve, 200) - 2) < 1e-12);
    assert_true(latency_curve_at(&curve, 10) == 1);
    assert_true(latency_curve_at(&curve, 1000) == 4);
    curve.count = 0;
    assert_true(latency_curve_at(&curve, 100) == 0);
}

/* ---- Claims from files. */

static void put_cache(struct fake_files *files, int index, const char *level, const char *type,
                      const char *size, const char *users)
{
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const texts[] = {level, type, size, users};
    for (int i = 0; i < 4; i++) {
        char path[128], line[64];
        snprintf(path, sizeof(path), "cpu0/cache/index%d/%s", index, names[i]);
        snprintf(line, sizeof(line), "%s\n", texts[i]);
        fake_files_put(files, path, line);
    }
}

static void claims_come_from_sysfs_and_hyperthreads_are_no_sharers(void **state)
{
    (void)state;
    const int64_t cpuid[LEVELS_MAX] = {KIB(48), MIB(1), MIB(320), -1};
    struct levels levels;
    struct fake_files files;
    fake_files_open(&files);
    fake_files_put(&files, "cpu0/topology/thread_siblings_list", "0,8\n");
    put_cache(&files, 0, "1", "Data", "32K", "0,8");
    put_cache(&files, 1, "1", "Instruction", "64K", "0,8");
    put_cache(&files, 2, "2", "Unified", "1024K", "0,8");
    put_cache(&files, 3, "3", "Unified", "32M", "0-15");
    levels_claimed_at(files.root, cpuid, &levels);
    fake_files_close(&files);
    assert_capacities(&levels, "L1=32768,L2=1048576,L3=33554432*");
    assert_int_equal(levels.level[0].cpuid_bytes, KIB(48));
    assert_int_equal(levels.level[2].cpuid_bytes, MIB(320));
}

static void cpuid_speaks_where_sysfs_is_missing(void **state)
{
    (void)state;
    const int64_t cpuid[LEVELS_MAX] = {KIB(48), MIB(1), MIB(508), 0};
    struct levels levels;
    levels_claimed_at("/nonexistent", cpuid, &levels);
    assert_capacities(&levels, "L1=49152,L2=1048576,L3=532676608*");
    assert_int_equal(levels.level[2].claimed_bytes, MIB(508));
}

/* ---- The text form. */

static void what_is_formatted_is_parsed_back(void **state)
{
    (void)state;
    struct levels levels = claims(KIB(32), MIB(1), MIB(32), MIB(32)), parsed;
    char text[128];
    assert_int_equal(levels_parse(levels_format(&levels, text, sizeof(text)), &parsed), STATUS_OK);
    assert_int_equal(parsed.count, 3);
    assert_int_equal(parsed.level[2].capacity_bytes, MIB(32));
    assert_int_equal(parsed.level[2].shared, 1);
    assert_int_equal(parsed.level[1].shared, 0);
    assert_int_equal(levels_find(&parsed, "L2"), 1);
    assert_int_equal(levels_find(&parsed, "LLC"), 2);
    assert_int_equal(levels_find(&parsed, "L4"), -1);
    levels_format(&levels, text, 10); /* a small buffer is filled and not overrun */
    assert_string_equal(text, "L1=32768,");
}

static void what_is_no_list_of_levels_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "L1",
                                        "L1=",
                                        "L1=0",
                                        "L1=-5",
                                        "L1=32K",
                                        "L9=32768",
                                        "L0=32768",
                                        "l1=32768",
                                        "L1=32768,",
                                        " L1=32768",
                                        "L1= 32768",
                                        "L1=3;L2=4",
                                        "L1=3,L1=4",
                                        "L2=3,L1=4",
                                        "L1=400,L2=300",
                                        "L1=3**",
                                        "L1=3,L2=3",
                                        "L1=99999999999999999999",
                                        "L1=1,L2=2,L3=3,L4=4,L4=5",
                                        "L1=3 "};
    struct levels levels = {.count = 77};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(levels_parse(wrong[i], &levels), STATUS_BAD_ARGUMENT);
        assert_non_null(strstr(error_message(), wrong[i]));
        assert_int_equal(levels.count, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_machine_keeps_its_claims),
        cmocka_unit_test(a_claim_of_508_mib_gives_way_to_the_32_that_answer),
        cmocka_unit_test(sysfs_is_believed_where_cpuid_exaggerates),
        cmocka_unit_test(cpuid_is_believed_where_sysfs_exaggerates),
        cmocka_unit_test(without_claims_the_steps_are_the_levels),
        cmocka_unit_test(without_claims_and_without_a_curve_small_caches_are_assumed),
        cmocka_unit_test(noise_that_slows_half_of_the_points_changes_nothing),
        cmocka_unit_test(an_unclaimed_l3_is_found),
        cmocka_unit_test(a_claimed_l3_that_is_not_there_is_taken_off),
        cmocka_unit_test(a_soft_step_of_a_shared_l3_keeps_the_claim),
        cmocka_unit_test(a_curve_measured_beside_busy_neighbours_keeps_the_claim),
        cmocka_unit_test(a_dent_in_a_soft_step_does_not_make_two_levels_of_it),
        cmocka_unit_test(a_private_cache_is_never_excused_by_neighbours),
        cmocka_unit_test(a_real_320_mib_beyond_the_curve_stays_unprobed),
        cmocka_unit_test(interpolation_is_logarithmic_and_ends_flat),
        cmocka_unit_test(claims_come_from_sysfs_and_hyperthreads_are_no_sharers),
        cmocka_unit_test(cpuid_speaks_where_sysfs_is_missing),
        cmocka_unit_test(what_is_formatted_is_parsed_back),
        cmocka_unit_test(what_is_no_list_of_levels_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
