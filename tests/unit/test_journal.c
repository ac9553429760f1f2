/* The journal as a file: what is written is read, and what is no line of ours does no harm. */
#include "tests/unit/journal_place.h"

static void append_loss(struct journal *journal, int number, int round)
{
    struct record lost;
    char *line;
    example_slice(&lost, number, round, 4);
    lost.status = RECORD_timeout;
    strcpy(lost.reason, "took \"too\" long");
    enum status made = journal_line_lost(&lost, round, &line);
    record_clear(&lost);
    append(journal, made, line);
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_run_comes_back_from_its_lines(void **state)
{
    const struct place *place = *state;
    struct run before, after;
    char *line;
    struct journal *journal = begin(place->path);
    example_run(&before, 3, 4);
    for (int i = 0; i < 3; i++)
        append_slice(journal, i, 0);
    for (size_t i = 0; i < before.logs_count; i++) {
        enum status made = journal_line_log(&before.logs[i], &line);
        append(journal, made, line);
    }
    assert_int_equal(journal_sync(journal), STATUS_OK);
    assert_true(journal_seconds(journal) > 0);
    journal_close(journal);
    read_all(place->path, &after, 0);
    example_check_same_run(&after, &before);
    run_clear(&before);
    run_clear(&after);
}

static void slices_of_a_case_become_one_point_and_a_round_counts_once(void **state)
{
    const struct place *place = *state;
    struct run run;
    struct journal *journal = begin(place->path);
    append_slice(journal, 0, 0);
    append_slice(journal, 1, 0);
    append_slice(journal, 0, 1);
    append_slice(journal, 0, 1);
    journal_close(journal);
    read_all(place->path, &run, 1);
    assert_int_equal(run.points_count, 2);
    assert_int_equal(run.points[0].samples_count, 8);
    assert_int_equal(record_round_count(&run.points[0]), 2);
    run_clear(&run);
}

static void a_lost_case_is_a_point_with_a_reason_unless_it_was_measured(void **state)
{
    const struct place *place = *state;
    struct run run;
    struct journal *journal = begin(place->path);
    append_loss(journal, 0, 0);
    append_slice(journal, 1, 0);
    append_loss(journal, 1, 1);
    append_loss(journal, 2, 0);
    append_slice(journal, 2, 0);
    journal_close(journal);
    read_all(place->path, &run, 0);
    assert_int_equal(run.points_count, 3);
    for (size_t i = 0; i < run.points_count; i++) {
        bool measured = run.points[i].samples_count > 0;
        assert_int_equal(run.points[i].status, measured ? RECORD_ok : RECORD_timeout);
        assert_int_equal(measured, run.points[i].threads > 1);
        if (!measured)
            assert_string_equal(run.points[i].reason, "took \"too\" long");
    }
    run_clear(&run);
}

static void a_case_lost_in_memory_and_measured_later_is_fine(void **state)
{
    (void)state;
    struct run run = {0};
    struct record lost;
    example_slice(&lost, 0, 0, 0);
    lost.status = RECORD_failed;
    assert_int_equal(run_add_slice(&run, &lost), STATUS_OK);
    example_add(&run, 0, 0, 4);
    assert_int_equal(run.points_count, 1);
    assert_int_equal(run.points[0].status, RECORD_ok);
    assert_int_equal(run.points[0].samples_count, 4);
    record_clear(&lost);
    run_clear(&run);
}

static void a_refused_slice_changes_nothing(void **state)
{
    (void)state;
    struct run run = {0};
    struct record slice, before;
    example_add(&run, 0, 0, 4);
    example_slice(&slice, 0, 0, 4);
    slice.status = RECORD_wrong;
    assert_int_equal(record_copy(&before, &run.points[0]), STATUS_OK);
    assert_int_equal(run_add_slice(&run, &slice), STATUS_BAD_ARGUMENT);
    example_check_same_record(&run.points[0], &before);
    record_clear(&slice);
    record_clear(&before);
    run_clear(&run);
}

static void the_last_meta_line_replaces_the_first_lines_meta(void **state)
{
    const struct place *place = *state;
    struct run run;
    char *line;
    struct journal *journal = begin(place->path);
    enum status made = journal_line_meta("{\"complete\": false}", &line);
    append(journal, made, line);
    journal_close(journal);
    assert_int_equal(journal_line_meta("[1]", &line), STATUS_BAD_ARGUMENT);
    read_all(place->path, &run, 0);
    assert_string_equal(run.meta_json, "{\"complete\":false}");
    run_clear(&run);
}

static void a_torn_last_line_is_ignored_by_readers_and_cut_off_by_the_next_writer(void **state)
{
    const struct place *place = *state;
    struct run run;
    struct journal *journal = begin(place->path);
    append_slice(journal, 0, 0);
    journal_close(journal);
    char long_tail[200000];
    memset(long_tail, 'x', sizeof(long_tail));
    long_tail[sizeof(long_tail) - 1] = '\0';
    put_text(place->path, "{\"kind\":\"slice\",");
    put_text(place->path, long_tail);
    read_all(place->path, &run, 0);
    assert_int_equal(run.points_count, 1);
    run_clear(&run);
    assert_int_equal(journal_open(place->path, &journal), STATUS_OK);
    append_slice(journal, 1, 0);
    journal_close(journal);
    read_all(place->path, &run, 0);
    assert_int_equal(run.points_count, 2);
    run_clear(&run);
}

static void foreign_lines_are_skipped_and_counted(void **state)
{
    const struct place *place = *state;
    struct run run;
    struct journal *journal = begin(place->path);
    journal_close(journal);
    put_text(place->path, "NCCL INFO hello\n\n{\"kind\":\"poem\"}\n{}\n[]\n{\"kind\":7}\n"
                          "{\"kind\":\"slice\",\"schema\":1}\n{\"kind\":\"log\",\"name\":\"a/b\","
                          "\"text\":\"\"}\n{\"kind\":\"lost\"}\n{\"kind\":\"meta\",\"meta\":1}\n");
    read_all(place->path, &run, 10);
    assert_int_equal(run.points_count, 0);
    run_clear(&run);
}

static void what_is_no_journal_is_refused(void **state)
{
    const struct place *place = *state;
    struct run run;
    size_t skipped;
    assert_int_equal(journal_read(place->path, &run, &skipped), STATUS_IO);
    example_check_words("No such file");
    put_text(place->path, "");
    assert_int_equal(journal_read(place->path, &run, &skipped), STATUS_BAD_ARGUMENT);
    example_check_words("no journal of ridge");
    put_text(place->path, "{\"kind\":\"run\",\"schema\":3,\"run_id\":\"x\"}\n");
    assert_int_equal(journal_read(place->path, &run, &skipped), STATUS_BAD_ARGUMENT);
    example_check_words("update ridge");
    assert_null(run.points);
}

static void a_line_with_a_newline_is_refused(void **state)
{
    const struct place *place = *state;
    struct journal *journal = begin(place->path);
    assert_int_equal(journal_append(journal, "{}\n{}"), STATUS_BAD_ARGUMENT);
    journal_close(journal);
}

static void an_existing_journal_is_never_overwritten(void **state)
{
    const struct place *place = *state;
    struct journal *journal = begin(place->path), *second;
    journal_close(journal);
    assert_int_equal(journal_create(place->path, &second), STATUS_BAD_ARGUMENT);
    example_check_words("resume it with --resume or remove it");
    assert_null(second);
    assert_int_equal(journal_open("/nowhere/at/all", &second), STATUS_IO);
    assert_int_equal(journal_create("/nowhere/at/all", &second), STATUS_IO);
    example_check_words("/nowhere/at/all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_run_comes_back_from_its_lines),
        PLACE_TEST(slices_of_a_case_become_one_point_and_a_round_counts_once),
        PLACE_TEST(a_lost_case_is_a_point_with_a_reason_unless_it_was_measured),
        PLACE_TEST(a_case_lost_in_memory_and_measured_later_is_fine),
        PLACE_TEST(a_refused_slice_changes_nothing),
        PLACE_TEST(the_last_meta_line_replaces_the_first_lines_meta),
        PLACE_TEST(a_torn_last_line_is_ignored_by_readers_and_cut_off_by_the_next_writer),
        PLACE_TEST(foreign_lines_are_skipped_and_counted),
        PLACE_TEST(what_is_no_journal_is_refused),
        PLACE_TEST(a_line_with_a_newline_is_refused),
        PLACE_TEST(an_existing_journal_is_never_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
