/* A journal of a test's own, in a folder of its own. */
#pragma once

#include "harness/store/journal.h"
#include "tests/unit/example_run.h"
#include "tests/unit/fake_files.h"

struct place {
    struct fake_files files;
    char path[512];
};

static inline int open_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    fake_files_open(&place->files);
    snprintf(place->path, sizeof(place->path), "%s/run.jsonl", place->files.root);
    *state = place;
    return 0;
}

static inline int close_place(void **state)
{
    struct place *place = *state;
    fake_files_close(&place->files);
    free(place);
    return 0;
}

/* Appends a line and frees it. */
static inline void append(struct journal *journal, enum status made, char *line)
{
    assert_int_equal(made, STATUS_OK);
    assert_int_equal(journal_append(journal, line), STATUS_OK);
    free(line);
}

static inline void append_slice(struct journal *journal, int number, int round)
{
    struct record slice;
    char *line;
    example_slice(&slice, number, round, 4);
    enum status made = journal_line_slice(&slice, &line);
    record_clear(&slice);
    append(journal, made, line);
}

static inline struct journal *begin(const char *path)
{
    struct run run;
    struct journal *journal;
    char *line;
    example_run(&run, 0, 0);
    assert_int_equal(journal_create(path, &journal), STATUS_OK);
    enum status made = journal_line_run(&run, &line);
    append(journal, made, line);
    run_clear(&run);
    return journal;
}

static inline void read_all(const char *path, struct run *run, size_t expected_skipped)
{
    size_t skipped;
    if (journal_read(path, run, &skipped) != STATUS_OK)
        fail_msg("%s", error_message());
    assert_int_equal(skipped, expected_skipped);
}

/* A test that gets a place as its state. */
#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
