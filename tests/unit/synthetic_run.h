/* A run of a machine that does not exist, whose roofs are known: what model and show find in it
 * can be said beforehand. One thread and two; f64; L1 32 KiB, L2 1 MiB, L3 32 MiB (shared). */
#pragma once

#include "harness/model/random.h"
#include "harness/store/run.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYNTHETIC_ROUNDS = 4, SYNTHETIC_SAMPLES = 10 }; /* so many a round */

/* Of one thread, f64. Two have twice as much, but for memory. The ridges lie at 0.8, 4/3, 4 and 16
 * op/B: no rung is just twice as far from one, where the model draws its line. */
static const double synthetic_peak_ops_per_s = 0x1p36, synthetic_sharpness = 4; /* 68.7 Gop/s */
static const char *const synthetic_levels[] = {"L1", "L2", "L3", "memory"};
static const double synthetic_bytes_per_s[] = {5 * 0x1p34, 3 * 0x1p34, 0x1p34, 0x1p32};

static inline void synthetic_begin(struct run *run)
{
    *run = (struct run){
        .meta_json =
            strdup("{\"suite\":\"quick\",\"complete\":true,\"child_arguments\":[\"--rounds\","
                   "\"4\",\"--levels\",\"L1=32768,L2=1048576,L3=33554432*\"]}"),
        .machine_json = strdup("{\"host\":\"node7\",\"cpu_model\":\"Example 9000\","
                               "\"thread_reason\":\"2 threads\",\"memory_bytes\":68719476736}")};
}

/* Adds a point that took `seconds` in every sample, but `spread` more or less at the ends; its
 * identity, counts and status are those of `shape`, device and variant where it has any. */
static inline struct record *synthetic_add(struct run *run, const struct record *shape,
                                           double seconds, double spread)
{
    struct record slice = *shape;
    slice.source = SOURCE_fake;
    slice.rounds_planned = SYNTHETIC_ROUNDS;
    slice.target_half_width = 0.02;
    strcpy(slice.variant, shape->variant[0] ? shape->variant : "vector");
    strcpy(slice.device, shape->device[0] ? shape->device : "cpu");
    record_identify(&slice);
    for (int round = 0; round < SYNTHETIC_ROUNDS; round++) {
        slice.round = round;
        slice.samples = NULL;
        slice.samples_count = slice.samples_room = 0;
        for (int i = 0; i < SYNTHETIC_SAMPLES; i++) {
            double where = 2.0 * i / (SYNTHETIC_SAMPLES - 1) - 1; /* -1 .. 1 */
            struct sample sample = {.seconds = seconds * (1 + spread * where),
                                    .runs = 1,
                                    .foreign_load = -1,
                                    .round = round};
            assert_int_equal(record_add_sample(&slice, &sample), STATUS_OK);
        }
        assert_int_equal(run_add_slice(run, &slice), STATUS_OK);
        free(slice.samples);
    }
    return run_find(run, slice.case_id);
}

static inline double synthetic_bandwidth(int level, int threads)
{
    return (level < 3 ? threads : 1) * synthetic_bytes_per_s[level];
}

/* A point of the intensity ladder. */
static inline struct record *synthetic_ladder(struct run *run, int level, int threads, int fmas)
{
    double intensity = fmas / 4.0, bytes = 1 << 20;
    double times_ridge =
        intensity * synthetic_bandwidth(level, threads) / (threads * synthetic_peak_ops_per_s);
    double rate = threads * synthetic_peak_ops_per_s *
                  pow(1 + pow(times_ridge, -synthetic_sharpness), -1 / synthetic_sharpness);
    struct record shape = {.threads = threads, .bytes = bytes, .operations = intensity * bytes};
    strcpy(shape.bench, "bench_intensity");
    strcpy(shape.dtype, "f64");
    snprintf(shape.params, sizeof(shape.params),
             "{\"dtype\":\"f64\",\"level\":\"%s\",\"threads\":%d,\"fmas\":%d}",
             synthetic_levels[level], threads, fmas);
    return synthetic_add(run, &shape, shape.operations / rate, 0);
}

/* A point of vector_add that moves its bytes at that rate; `arrays` of array_bytes each. */
static inline struct record *synthetic_stream(struct run *run, const char *op, int arrays,
                                              int operations, double array_bytes, int threads,
                                              double bytes_per_s)
{
    struct record shape = {.threads = threads,
                           .bytes = arrays * array_bytes,
                           .operations = operations * array_bytes / 8,
                           .working_set_bytes = arrays * array_bytes};
    strcpy(shape.bench, "bench_vector_add");
    strcpy(shape.dtype, "f64");
    strcpy(shape.store_kind, "plain");
    snprintf(shape.params, sizeof(shape.params),
             "{\"op\":\"%s\",\"dtype\":\"f64\",\"store\":\"plain\",\"array_bytes\":%.0f,"
             "\"threads\":%d}",
             op, array_bytes, threads);
    return synthetic_add(run, &shape, shape.bytes / bytes_per_s, 0);
}

/* The whole ladder in all levels for one thread and two, and reads from all levels. */
static inline void synthetic_run(struct run *run)
{
    synthetic_begin(run);
    for (int threads = 1; threads <= 2; threads++)
        for (int level = 0; level < 4; level++)
            for (int fmas = 1; fmas <= 4096; fmas *= 2)
                synthetic_ladder(run, level, threads, fmas);
    static const double read_bytes[] = {16 << 10, 512 << 10, 8 << 20, 256 << 20};
    for (int level = 0; level < 4; level++)
        synthetic_stream(run, "read", 1, 1, read_bytes[level], 1, synthetic_bytes_per_s[level]);
}

/* Makes every sample's time uncertain: by a factor that is the same within a round, and another of
 * its own, each uniform within -+`noise`; always the same ones. */
static inline void synthetic_scatter(struct run *run, double noise)
{
    uint64_t state = 1;
    for (size_t i = 0; i < run->points_count; i++) {
        struct record *point = &run->points[i];
        double of_round[SYNTHETIC_ROUNDS];
        for (int r = 0; r < SYNTHETIC_ROUNDS; r++)
            of_round[r] = noise * ((double)random_draw(&state, 2001) / 1000 - 1);
        for (size_t s = 0; s < point->samples_count; s++) {
            double of_sample = noise * ((double)random_draw(&state, 2001) / 1000 - 1);
            point->samples[s].seconds *= exp(of_round[point->samples[s].round] + of_sample);
        }
    }
}
