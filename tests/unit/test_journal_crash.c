/* The journal among processes: one writes, and what it acknowledged survives its death. */
#include "tests/unit/journal_place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { CASES_COUNT = 3 }; /* that the writer who is killed writes in turn */

static struct record *find_case(const struct run *run, int number)
{
    struct record slice;
    example_slice(&slice, number, 0, 0);
    return run_find(run, slice.case_id);
}

/* A child that holds the journal until it is killed. */
static pid_t start_holder(const char *path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct journal *journal;
        size_t skipped;
        struct run run;
        bool opened = journal_open(path, &journal) == STATUS_OK;
        opened = opened && journal_read(path, &run, &skipped) == STATUS_OK;
        if (!opened || write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void a_second_writer_is_refused_until_the_first_is_gone(void **state)
{
    const struct place *place = *state;
    struct journal *journal = begin(place->path), *second;
    assert_int_equal(journal_open(place->path, &second), STATUS_BAD_ARGUMENT);
    example_check_words("is being written by");
    journal_close(journal);
    pid_t child = start_holder(place->path);
    assert_int_equal(journal_open(place->path, &second), STATUS_BAD_ARGUMENT);
    example_check_words("wait for it or give another -o");
    assert_int_equal(journal_create(place->path, &second), STATUS_BAD_ARGUMENT);
    example_check_words("is being written by");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(journal_open(place->path, &second), STATUS_OK);
    journal_close(second);
}

static void a_second_writer_is_told_which_process_is_the_first(void **state)
{
    const struct place *place = *state;
    char words[64];
    struct journal *journal = begin(place->path), *second;
    snprintf(words, sizeof(words), "process %ld;", (long)getpid());
    pid_t child = fork();
    if (child == 0) {
        bool refused = journal_open(place->path, &second) == STATUS_BAD_ARGUMENT;
        _exit(refused && strstr(error_message(), words) ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    journal_close(journal);
}

/* Appends slices to one case from `round` on and acknowledges each, until it is killed. */
static void write_until_killed(const char *path, int round, int acknowledge)
{
    struct journal *journal;
    if (journal_open(path, &journal) != STATUS_OK)
        _exit(1);
    for (;; round++) {
        struct record slice;
        char *line;
        example_slice(&slice, round % CASES_COUNT, round, 2);
        bool done = journal_line_slice(&slice, &line) == STATUS_OK &&
                    journal_append(journal, line) == STATUS_OK &&
                    write(acknowledge, &round, sizeof(round)) == sizeof(round);
        record_clear(&slice);
        free(line);
        if (!done)
            _exit(1);
    }
}

/* Returns the last round that was acknowledged, or round - 1. */
static int kill_a_writer(const char *path, int round, useconds_t delay)
{
    int pipe_ends[2], last = round - 1, got;
    assert_int_equal(pipe(pipe_ends), 0);
    assert_true(fcntl(pipe_ends[1], F_SETPIPE_SZ, 1 << 20) > 0);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(path, round, pipe_ends[1]);
    close(pipe_ends[1]);
    usleep(delay);
    kill(child, SIGKILL);
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    while (read(pipe_ends[0], &got, sizeof(got)) == sizeof(got))
        last = got;
    close(pipe_ends[0]);
    return last;
}

/* Returns the round to go on with: the writer may have died between writing and acknowledging. */
static int check_rounds(const char *path, int first, int last)
{
    struct run run;
    read_all(path, &run, 0);
    for (int round = first; round <= last; round++)
        assert_true(record_has_round(find_case(&run, round % CASES_COUNT), round));
    const struct record *next = find_case(&run, (last + 1) % CASES_COUNT);
    bool unacknowledged = next && record_has_round(next, last + 1);
    run_clear(&run);
    return last + 1 + unacknowledged;
}

static void check_that_it_goes_on(const char *path, int number)
{
    struct journal *journal;
    struct run run;
    assert_int_equal(journal_open(path, &journal), STATUS_OK);
    append_slice(journal, number, 0);
    journal_close(journal);
    read_all(path, &run, 0);
    assert_int_equal(find_case(&run, number)->samples_count, 4);
    run_clear(&run);
}

static void no_acknowledged_slice_is_lost_when_the_writer_is_killed(void **state)
{
    const struct place *place = *state;
    enum { DEATHS_COUNT = 20, DELAY_MICROSECONDS = 12000 };
    int round = 0, acknowledged = 0;
    srand(1);
    journal_close(begin(place->path));
    for (int death = 0; death < DEATHS_COUNT; death++) {
        int last = kill_a_writer(place->path, round, (useconds_t)(rand() % DELAY_MICROSECONDS));
        acknowledged += last + 1 - round;
        round = check_rounds(place->path, round, last);
        check_that_it_goes_on(place->path, CASES_COUNT + death);
    }
    assert_true(acknowledged > 0);
}

static void on_a_full_disk_the_journal_keeps_its_whole_lines(void **state)
{
    const struct place *place = *state;
    struct journal *journal;
    struct run run;
    size_t kept = 0;
    if (mount("none", place->files.root, "tmpfs", 0, "size=64k") != 0)
        skip(); /* only root may mount */
    journal = begin(place->path);
    struct stat full;
    assert_int_equal(stat(place->path, &full), 0);
    off_t first_line = full.st_size;
    struct record slice;
    char *line;
    example_slice(&slice, 0, 0, 200);
    assert_int_equal(journal_line_slice(&slice, &line), STATUS_OK);
    enum status status;
    while ((status = journal_append(journal, line)) == STATUS_OK)
        kept++;
    assert_int_equal(status, STATUS_IO);
    example_check_words("No space left on device");
    assert_true(kept > 0);
    assert_int_equal(stat(place->path, &full), 0);
    assert_int_equal(full.st_size, first_line + (off_t)(kept * (strlen(line) + 1)));
    journal_close(journal);
    read_all(place->path, &run, kept - 1); /* the same round again and again */
    assert_int_equal(run.points[0].samples_count, 200);
    run_clear(&run);
    record_clear(&slice);
    free(line);
    umount2(place->files.root, MNT_DETACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_second_writer_is_refused_until_the_first_is_gone),
        PLACE_TEST(a_second_writer_is_told_which_process_is_the_first),
        PLACE_TEST(no_acknowledged_slice_is_lost_when_the_writer_is_killed),
        PLACE_TEST(on_a_full_disk_the_journal_keeps_its_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
