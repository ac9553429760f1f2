/* Records and runs for the tests of the store: different for each number, and valid. */
#pragma once

#include "harness/store/run.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A slice of case `number` with `count` samples of that round. */
static inline void example_slice(struct record *slice, int number, int round, int count)
{
    *slice = (struct record){.source = SOURCE_fake,
                             .threads = number + 1,
                             .rounds_planned = 3,
                             .bytes = 1e6 * (number + 1),
                             .operations = 5e5 * (number + 1),
                             .link_bytes = 100,
                             .working_set_bytes = 1e9 / 7,
                             .check_tolerance = 1e-6,
                             .flags = number % 2 ? FLAG_unsteady | FLAG_oversubscribed : 0,
                             .round = round};
    strcpy(slice->bench, "vector_add");
    strcpy(slice->dtype, "f64");
    strcpy(slice->run_id, "example");
    strcpy(slice->reason, number % 2 ? "sch\xc3\xb6n" : "");
    snprintf(slice->params, sizeof(slice->params), "{\"number\":%d,\"share\":0.1}", number);
    record_identify(slice);
    for (int i = 0; i < count; i++) {
        struct sample sample = {.seconds = 1e-3 * (1 + (i * 7 + number) % 10),
                                .runs = 2.5,
                                .start_seconds = 1e5 / 3 + i,
                                .clock_hz = 3e9,
                                .foreign_load = -1,
                                .round = round,
                                .child = number};
        assert_int_equal(record_add_sample(slice, &sample), STATUS_OK);
    }
}

static inline void example_add(struct run *run, int number, int round, int count)
{
    struct record slice;
    example_slice(&slice, number, round, count);
    assert_int_equal(run_add_slice(run, &slice), STATUS_OK);
    record_clear(&slice);
}

static inline void example_run(struct run *run, int points_count, int samples_each)
{
    *run = (struct run){.meta_json = strdup("{\"suite\":\"quick\",\"host_count\":1,\"hours\":0.5,"
                                            "\"complete\":true,\"command\":[\"ridge\",\"run\"]}"),
                        .machine_json = strdup("{\"host\":\"node7\",\"cpu_model\":\"Example 9000\","
                                               "\"memory_bytes\":68719476736,\"thread_count\":64}"),
                        .topology_xml =
                            strdup("<topology>\n <object type=\"Machine\"/>\n</topology>")};
    strcpy(run->run_id, "example");
    for (int i = 0; i < points_count; i++)
        example_add(run, i, 0, samples_each);
    assert_int_equal(run_add_log(run, "bench_z.0", "line one\nline two\n"), STATUS_OK);
    assert_int_equal(run_add_log(run, "bench_a.1", ""), STATUS_OK);
}

static inline void example_check_same_record(const struct record *a, const struct record *b)
{
    struct record plain_a = *a, plain_b = *b;
    assert_int_equal(a->samples_count, b->samples_count);
    if (a->samples_count)
        assert_memory_equal(a->samples, b->samples, a->samples_count * sizeof(*a->samples));
    plain_a.samples = plain_b.samples = NULL;
    plain_a.samples_room = plain_b.samples_room = 0;
    assert_memory_equal(&plain_a, &plain_b, sizeof(plain_a));
}

static inline void example_check_same_run(const struct run *a, const struct run *b)
{
    assert_string_equal(a->run_id, b->run_id);
    assert_string_equal(a->meta_json, b->meta_json);
    assert_string_equal(a->machine_json, b->machine_json);
    assert_int_equal(a->topology_xml == NULL, b->topology_xml == NULL);
    if (a->topology_xml)
        assert_string_equal(a->topology_xml, b->topology_xml);
    assert_int_equal(a->points_count, b->points_count);
    for (size_t i = 0; i < a->points_count; i++)
        example_check_same_record(&a->points[i], &b->points[i]);
    assert_int_equal(a->logs_count, b->logs_count);
    for (size_t i = 0; i < a->logs_count; i++) {
        assert_string_equal(a->logs[i].name, b->logs[i].name);
        assert_string_equal(a->logs[i].text, b->logs[i].text);
    }
}

/* Fails unless the last error's sentence holds these words. */
static inline void example_check_words(const char *words)
{
    if (!strstr(error_message(), words))
        fail_msg("\"%s\" does not say \"%s\"", error_message(), words);
}
