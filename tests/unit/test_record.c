/* The record's JSON line: what goes in comes out, bit for bit, and nothing else gets in. */
#include "harness/record/record.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_record(struct record *record)
{
    *record = (struct record){.source = SOURCE_fake,
                              .threads = 2,
                              .rounds_planned = 3,
                              .bytes = 12e9,
                              .bus_bytes = 16e9,
                              .operations = 1e9 / 3,
                              .clock_tick_seconds = 1e-9,
                              .check_tolerance = 1e-6,
                              .flags = FLAG_unsteady | FLAG_virtual_machine,
                              .round = 1};
    strcpy(record->bench, "vector_add");
    strcpy(record->variant, "unrolled");
    strcpy(record->device, "cpu");
    strcpy(record->dtype, "f64");
    strcpy(record->params, "{\"size\":4096,\"share\":0.1,\"place\":\"a b\\\"}\"}");
    strcpy(record->method, "0123456789abcdef");
    strcpy(record->reason, "a \"quoted\" reason, \xc3\xa4");
    record_identify(record);
    for (int i = 0; i < 5; i++) {
        struct sample sample = {.seconds = 1e-3 / (i + 3),
                                .runs = 0.5 + i,
                                .start_seconds = 1000.0 / 7 + i,
                                .clock_hz = 3e9 / 7,
                                .foreign_load = -1,
                                .round = 1,
                                .child = i};
        assert_int_equal(record_add_sample(record, &sample), STATUS_OK);
    }
}

static char *make_line(void)
{
    struct record record;
    char *line = NULL;
    make_record(&record);
    assert_int_equal(record_to_json(&record, &line), STATUS_OK);
    record_clear(&record);
    return line;
}

/* A line with the first `old` replaced; the caller frees. */
static char *edit(const char *line, const char *old, const char *new_text)
{
    size_t before = 0;
    while (line[before] && strncmp(line + before, old, strlen(old)) != 0)
        before++;
    assert_int_not_equal(line[before], '\0');
    char *edited;
    const char *after = line + before + strlen(old);
    assert_true(asprintf(&edited, "%.*s%s%s", (int)before, line, new_text, after) > 0);
    return edited;
}

static void check_refused(const char *line, const char *expected_words)
{
    struct record record;
    memset(&record, 0xee, sizeof(record));
    assert_int_equal(record_from_json(line, strlen(line), &record), STATUS_BAD_ARGUMENT);
    if (!strstr(error_message(), expected_words))
        fail_msg("\"%s\" does not say \"%s\"", error_message(), expected_words);
    assert_null(record.samples);
    assert_int_equal(record.samples_count, 0);
    assert_int_equal(record.bench[0], '\0');
}

static void a_record_comes_back_from_its_line_bit_for_bit(void **state)
{
    (void)state;
    struct record before, after;
    char *line, *again;
    make_record(&before);
    assert_int_equal(record_to_json(&before, &line), STATUS_OK);
    assert_int_equal(record_from_json(line, strlen(line), &after), STATUS_OK);
    assert_int_equal(after.samples_count, before.samples_count);
    assert_memory_equal(after.samples, before.samples,
                        before.samples_count * sizeof(*before.samples));
    struct record plain_before = before, plain_after = after;
    plain_before.samples = plain_after.samples = NULL;
    plain_before.samples_room = plain_after.samples_room = 0;
    assert_memory_equal(&plain_after, &plain_before, sizeof(plain_before));
    assert_int_equal(record_to_json(&after, &again), STATUS_OK);
    assert_string_equal(again, line);
    free(line);
    free(again);
    record_clear(&before);
    record_clear(&after);
}

static void a_line_begins_with_its_kind_and_schema_and_has_no_newline(void **state)
{
    (void)state;
    char *line = make_line();
    const char begin[] = "{\"kind\":\"slice\",\"schema\":2,\"case_id\":\"";
    assert_memory_equal(line, begin, strlen(begin));
    assert_null(strchr(line, '\n'));
    assert_non_null(strstr(line, "\"flags\":[\"unsteady\",\"virtual_machine\"]"));
    assert_non_null(strstr(line, "\"source\":\"fake\",\"status\":\"ok\""));
    free(line);
}

static void params_keep_their_spelling_since_the_case_id_is_a_hash_of_it(void **state)
{
    (void)state;
    struct record record;
    char *line = make_line();
    char *spaced =
        edit(line, "{\"size\":4096,\"share\":0.1,", "{ \"size\" : 4096 , \"share\":0.1,\t");
    assert_int_equal(record_from_json(spaced, strlen(spaced), &record), STATUS_OK);
    assert_string_equal(record.params, "{\"size\":4096,\"share\":0.1,\"place\":\"a b\\\"}\"}");
    record_clear(&record);
    free(spaced);
    free(line);
}

static void strange_keys_are_ignored(void **state)
{
    (void)state;
    struct record record;
    char *line = make_line();
    char *newer = edit(line, "\"bench\":", "\"mood\":{\"params\":{\"x\":[1,{}]}},\"bench\":");
    assert_int_equal(record_from_json(newer, strlen(newer), &record), STATUS_OK);
    assert_string_equal(record.bench, "vector_add");
    record_clear(&record);
    free(newer);
    free(line);
}

static void every_kind_of_bad_line_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new_text, *words;
    } edits[] = {
        {"\"schema\":2", "\"schema\":3", "update ridge"},
        {"\"kind\":\"slice\"", "\"kind\":\"log\"", "log"},
        {"\"threads\":2,", "", "threads"},
        {"\"threads\":2", "\"threads\":2.5", "threads"},
        {"\"threads\":2", "\"threads\":4294967296", "threads"},
        {"\"threads\":2", "\"threads\":\"2\"", "threads"},
        {"\"bench\":\"vector_add\"", "\"bench\":7", "bench"},
        {"\"bench\":\"vector_add\"", "\"bench\":\"vector_mul\"", "does not belong"},
        {"\"size\":4096", "\"size\":4097", "does not belong"},
        {"\"cache\":\"\"", "\"cache\":\"lukewarm\"", "cache"},
        {"\"source\":\"fake\"", "\"source\":\"invented\"", "invented"},
        {"\"status\":\"ok\"", "\"status\":\"fine\"", "fine"},
        {"[\"unsteady\",", "[\"shaky\",", "shaky"},
        {"[\"unsteady\",", "[7,", "flag"},
        {"\"bytes\":12000000000.0", "\"bytes\":-1.0", "bytes"},
        {"\"bytes\":12000000000.0", "\"bytes\":NaN", "JSON"},
        {"\"bytes\":12000000000.0", "\"bytes\":1e999", "JSON"},
        {"\"seconds\":[", "\"seconds\":[0.0,", "runs"},
        {"\"runs\":[0.5", "\"runs\":[\"0.5\"", "runs"},
        {"\"round\":[1", "\"round\":[1.5", "round"},
        {"\"seconds\":[0.00033", "\"seconds\":[-0.00033", "seconds = -"},
        {"\"seconds\":[0.00033", "\"seconds\":[0e0", "a time must be positive"},
        {"\"reason\":\"", "\"reason\":\"\\u0000", "JSON"},
        {"\"params\":{", "\"params\":[],\"more\":{", "params"},
        {"\"params\":", "\"\\u0070arams\":", "params"},
        {"\"rank\":", "\"bench\":\"twice\",\"rank\":", "JSON"},
        {"\"samples\":", "\"sample\":", "samples"},
    };
    char *line = make_line();
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        char *bad = edit(line, edits[i].old, edits[i].new_text);
        check_refused(bad, edits[i].words);
        free(bad);
    }
    free(line);
}

static void what_is_no_whole_object_is_refused(void **state)
{
    (void)state;
    check_refused("", "JSON object");
    check_refused("7", "JSON object");
    check_refused("[{}]", "another value");
    check_refused("{}", "kind");
    char *line = make_line();
    for (size_t length = strlen(line) - 1; length > 0; length -= length > 60 ? 60 : length) {
        line[length] = '\0';
        check_refused(line, "JSON object");
    }
    free(line);
}

static void a_text_longer_than_its_field_is_refused_and_not_cut(void **state)
{
    (void)state;
    char *line = make_line();
    char *bad = edit(line, "\"dtype\":\"f64\"", "\"dtype\":\"0123456789abcdef\"");
    check_refused(bad, "dtype");
    free(bad);
    char params[700] = "\"params\":{\"x\":\"";
    memset(params + strlen(params), 'y', 600);
    strcat(params, "\",");
    bad = edit(line, "\"params\":{", params);
    check_refused(bad, "params");
    free(bad);
    free(line);
}

static void check_not_written(struct record *record, const char *words)
{
    char *line;
    assert_int_equal(record_to_json(record, &line), STATUS_BAD_ARGUMENT);
    assert_null(line);
    if (!strstr(error_message(), words))
        fail_msg("\"%s\" does not say \"%s\"", error_message(), words);
    record_clear(record);
}

static void the_writer_refuses_what_the_parser_would(void **state)
{
    (void)state;
    static const double bad_times[] = {0, -1, NAN, INFINITY};
    struct record record;
    for (size_t i = 0; i < sizeof(bad_times) / sizeof(bad_times[0]); i++) {
        make_record(&record);
        record.samples[2].seconds = bad_times[i];
        check_not_written(&record, "seconds");
    }
    make_record(&record);
    record.check_max_error = INFINITY;
    check_not_written(&record, "check_max_error");
    make_record(&record);
    strcpy(record.variant, "other");
    check_not_written(&record, "does not belong");
    make_record(&record);
    strcpy(record.params, "{\"size\": 1}");
    check_not_written(&record, "compact");
    make_record(&record);
    strcpy(record.params, "[]");
    check_not_written(&record, "compact");
    make_record(&record);
    memset(record.host, 'h', sizeof(record.host));
    check_not_written(&record, "host");
    make_record(&record);
    memset(record.params, ' ', sizeof(record.params));
    check_not_written(&record, "compact");
}

static void a_reason_that_was_cut_inside_a_character_is_still_written(void **state)
{
    (void)state;
    struct record record, after;
    char *line;
    make_record(&record);
    strcpy(record.reason, "cut \xc3");
    assert_int_equal(record_to_json(&record, &line), STATUS_OK);
    assert_int_equal(record_from_json(line, strlen(line), &after), STATUS_OK);
    assert_string_equal(after.reason, "cut ?");
    free(line);
    record_clear(&record);
    record_clear(&after);
}

static void merging_appends_samples_and_unites_flags(void **state)
{
    (void)state;
    struct record point, slice;
    make_record(&point);
    make_record(&slice);
    assert_int_equal(record_merge(&point, &slice), STATUS_BAD_ARGUMENT);
    assert_int_equal(point.samples_count, 5);
    slice.round = 2;
    slice.flags = FLAG_foreign_load;
    slice.status = RECORD_failed;
    for (size_t i = 0; i < slice.samples_count; i++)
        slice.samples[i].round = 2;
    assert_int_equal(record_merge(&point, &slice), STATUS_OK);
    assert_int_equal(point.samples_count, 10);
    assert_int_equal(record_round_count(&point), 2);
    assert_int_equal(point.flags, FLAG_unsteady | FLAG_virtual_machine | FLAG_foreign_load);
    assert_int_equal(point.status, RECORD_failed);
    assert_int_equal(point.round, 2);
    record_clear(&point);
    record_clear(&slice);
}

static void names_are_the_inverse_of_their_parsers(void **state)
{
    (void)state;
    char joined[400];
    for (int i = 0; i < SOURCE_COUNT; i++)
        assert_int_equal(record_source_parse(record_source_name((enum source)i)), i);
    for (int i = 0; i < RECORD_STATUS_COUNT; i++)
        assert_int_equal(record_status_parse(record_status_name((enum record_status)i)), i);
    for (int i = 0; i < FLAG_COUNT; i++)
        assert_int_equal(record_flag_parse(record_flag_name((enum record_flag_bit)i)), i);
    assert_int_equal(record_flag_parse("shaky"), -1);
    assert_string_equal(record_flags_join(0, joined, sizeof(joined)), "");
    assert_string_equal(
        record_flags_join(FLAG_unsteady | FLAG_oversubscribed, joined, sizeof(joined)),
        "unsteady,oversubscribed");
}

static void the_hash_is_fnv_1a_with_a_closing_zero(void **state)
{
    (void)state;
    /* "a" alone hashes to af63dc4c8601ec8c by the algorithm's published test vectors. */
    uint64_t of_a = UINT64_C(0xaf63dc4c8601ec8c);
    assert_true(record_hash(RECORD_HASH_SEED, "a") == of_a * UINT64_C(1099511628211));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_back_from_its_line_bit_for_bit),
        cmocka_unit_test(a_line_begins_with_its_kind_and_schema_and_has_no_newline),
        cmocka_unit_test(params_keep_their_spelling_since_the_case_id_is_a_hash_of_it),
        cmocka_unit_test(strange_keys_are_ignored),
        cmocka_unit_test(every_kind_of_bad_line_is_refused_with_a_sentence),
        cmocka_unit_test(what_is_no_whole_object_is_refused),
        cmocka_unit_test(a_text_longer_than_its_field_is_refused_and_not_cut),
        cmocka_unit_test(the_writer_refuses_what_the_parser_would),
        cmocka_unit_test(a_reason_that_was_cut_inside_a_character_is_still_written),
        cmocka_unit_test(merging_appends_samples_and_unites_flags),
        cmocka_unit_test(names_are_the_inverse_of_their_parsers),
        cmocka_unit_test(the_hash_is_fnv_1a_with_a_closing_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
