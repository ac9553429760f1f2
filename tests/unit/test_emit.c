/* The way of the slices out of a child: one line each, and no step further before the harness has
 * taken it. */
#include "harness/measure/emit.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/sentence.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum { PATIENCE_MILLISECONDS = 60, EXIT_RIGHT = 0, EXIT_WRONG = 9 };

/* A pipe for the lines and one for the acknowledgements: [0] is read, [1] is written. */
struct wires {
    int lines[2], acks[2];
    struct emit emit;
};

static int open_wires(void **state)
{
    struct wires *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    assert_int_equal(pipe2(w->lines, O_CLOEXEC), 0);
    assert_int_equal(pipe2(w->acks, O_CLOEXEC), 0);
    w->emit = (struct emit){.record_fd = w->lines[1], .ack_fd = w->acks[0]};
    signal(SIGPIPE, SIG_IGN);
    *state = w;
    return 0;
}

static void close_once(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static int close_wires(void **state)
{
    struct wires *w = *state;
    for (int i = 0; i < 2; i++) {
        close_once(&w->lines[i]);
        close_once(&w->acks[i]);
    }
    free(w);
    return 0;
}

static struct record make_slice(int round)
{
    struct record slice = {.source = SOURCE_fake, .threads = 1, .rounds_planned = 4};
    strcpy(slice.bench, "bench_example");
    strcpy(slice.params, "{\"size\":4096}");
    slice.round = round;
    record_identify(&slice);
    return slice;
}

/* What has come so far, up to a newline; waits for it. */
static void read_line(int descriptor, char *line, size_t size)
{
    size_t used = 0;
    while (used + 1 < size && read(descriptor, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = '\0';
}

static bool is_silent(int descriptor)
{
    struct pollfd fd = {.fd = descriptor, .events = POLLIN};
    return poll(&fd, 1, PATIENCE_MILLISECONDS) == 0;
}

/* ---- The protocol. */

/* In a process of its own, as a child is: two slices, one after the other. */
static pid_t start_child(struct wires *w)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    for (int round = 0; round < 2; round++) {
        struct record slice = make_slice(round);
        if (emit_begin(&w->emit, slice.case_id, round) != STATUS_OK ||
            emit_slice(&w->emit, &slice) != STATUS_OK)
            _exit(EXIT_WRONG);
    }
    _exit(EXIT_RIGHT);
}

static void a_child_does_not_go_on_before_its_slice_is_acknowledged(void **state)
{
    struct wires *w = *state;
    char line[4096], expected[128];
    pid_t child = start_child(w);
    assert_true(child > 0);
    for (int round = 0; round < 2; round++) {
        struct record slice, sent = make_slice(round);
        snprintf(expected, sizeof(expected), "{\"kind\":\"begin\",\"case_id\":\"%s\",\"round\":%d}",
                 sent.case_id, round);
        read_line(w->lines[0], line, sizeof(line));
        assert_string_equal(line, expected);
        read_line(w->lines[0], line, sizeof(line));
        assert_int_equal(record_from_json(line, strlen(line), &slice), STATUS_OK);
        assert_int_equal(slice.round, round);
        assert_string_equal(slice.case_id, sent.case_id);
        record_clear(&slice);
        assert_true(is_silent(w->lines[0])); /* neither the next slice nor its end */
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        assert_int_equal(write(w->acks[1], "\n", 1), 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT);
}

static void a_harness_that_no_longer_reads_interrupts(void **state)
{
    struct wires *w = *state;
    struct record slice = make_slice(0);
    close_once(&w->lines[0]);
    sentence_check(emit_slice(&w->emit, &slice), STATUS_INTERRUPTED, "the harness is gone");
    sentence_check(emit_begin(&w->emit, slice.case_id, 0), STATUS_INTERRUPTED,
                   "the harness is gone");
}

static void a_harness_that_no_longer_acknowledges_interrupts(void **state)
{
    struct wires *w = *state;
    struct record slice = make_slice(0);
    close_once(&w->acks[1]);
    sentence_check(emit_slice(&w->emit, &slice), STATUS_INTERRUPTED, "the harness is gone");
}

static void without_acknowledgement_nothing_is_announced_and_nobody_waits(void **state)
{
    struct wires *w = *state;
    struct record slice = make_slice(3);
    char line[4096];
    w->emit.ack_fd = -1;
    assert_int_equal(emit_begin(&w->emit, slice.case_id, 3), STATUS_OK);
    assert_int_equal(emit_slice(&w->emit, &slice), STATUS_OK);
    read_line(w->lines[0], line, sizeof(line));
    assert_non_null(strstr(line, "{\"kind\":\"slice\""));
}

static void a_full_disk_is_an_error_with_its_reason(void **state)
{
    struct wires *w = *state;
    struct record slice = make_slice(0);
    w->emit.record_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (w->emit.record_fd < 0)
        skip();
    sentence_check(emit_slice(&w->emit, &slice), STATUS_IO, "No space left");
    close(w->emit.record_fd);
}

/* ---- Where to. */

static void without_a_target_slices_go_nowhere(void **state)
{
    struct emit emit;
    struct record slice = make_slice(0);
    (void)state;
    assert_int_equal(emit_open(NULL, NULL, &emit), STATUS_OK);
    assert_int_equal(emit.record_fd, -1);
    assert_int_equal(emit_begin(&emit, slice.case_id, 0), STATUS_OK);
    assert_int_equal(emit_slice(&emit, &slice), STATUS_OK);
    emit_close(&emit);
}

static void descriptors_are_taken_by_number_and_left_open(void **state)
{
    struct wires *w = *state;
    char target[16], ack[16];
    struct emit emit;
    snprintf(target, sizeof(target), "fd:%d", w->lines[1]);
    snprintf(ack, sizeof(ack), "fd:%d", w->acks[0]);
    assert_int_equal(emit_open(target, ack, &emit), STATUS_OK);
    assert_int_equal(emit.record_fd, w->lines[1]);
    assert_int_equal(emit.ack_fd, w->acks[0]);
    emit_close(&emit);
    assert_int_equal(fcntl(w->lines[1], F_GETFD) & FD_CLOEXEC, FD_CLOEXEC); /* still there */
    assert_int_equal(emit.record_fd, -1);
}

static void what_is_no_descriptor_is_refused(void **state)
{
    static const char *const wrong[] = {"fd:", "fd:x", "fd:3x", "fd:-1", "fd:99999"};
    struct emit emit;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        sentence_check(emit_open(wrong[i], NULL, &emit), STATUS_BAD_ARGUMENT, wrong[i]);
        sentence_check(emit_open("fd:3", wrong[i], &emit), STATUS_BAD_ARGUMENT, wrong[i]);
    }
    sentence_check(emit_open("fd:3", "3", &emit), STATUS_BAD_ARGUMENT,
                   "--ack '3' is not fd:NUMBER");
    sentence_check(emit_open("/no/such/folder/x", NULL, &emit), STATUS_IO, "/no/such/folder/x");
}

static void a_file_is_appended_to(void **state)
{
    struct fake_files files;
    char path[128], line[4096];
    (void)state;
    fake_files_open(&files);
    snprintf(path, sizeof(path), "%s/records", files.root);
    for (int round = 0; round < 2; round++) {
        struct emit emit;
        struct record slice = make_slice(round);
        assert_int_equal(emit_open(path, NULL, &emit), STATUS_OK);
        assert_int_equal(emit_slice(&emit, &slice), STATUS_OK);
        emit_close(&emit);
    }
    FILE *file = fopen(path, "r");
    for (int round = 0; round < 2; round++) {
        struct record slice;
        assert_non_null(fgets(line, sizeof(line), file));
        assert_int_equal(record_from_json(line, strlen(line), &slice), STATUS_OK);
        assert_int_equal(slice.round, round);
        record_clear(&slice);
    }
    assert_null(fgets(line, sizeof(line), file));
    fclose(file);
    fake_files_close(&files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_wires, close_wires)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_child_does_not_go_on_before_its_slice_is_acknowledged),
        TEST(a_harness_that_no_longer_reads_interrupts),
        TEST(a_harness_that_no_longer_acknowledges_interrupts),
        TEST(without_acknowledgement_nothing_is_announced_and_nobody_waits),
        TEST(a_full_disk_is_an_error_with_its_reason),
        TEST(without_a_target_slices_go_nowhere),
        TEST(descriptors_are_taken_by_number_and_left_open),
        TEST(what_is_no_descriptor_is_refused),
        TEST(a_file_is_appended_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
