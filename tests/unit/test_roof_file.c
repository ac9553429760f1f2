/* roof.json: what is in it, where it lies, and that it is replaced as a whole. */
#include "harness/model/roof_file.h"
#include "harness/model/rows.h"
#include "tests/unit/fake_files.h"
#include "tests/unit/sentence.h"

#include <dirent.h>
#include <jansson.h>

struct place {
    struct fake_files files;
    struct run run;
    char path[128];
};

static void add(struct run *run, const char *reading, const char *mix, double value)
{
    struct ceiling row = {.value = value,
                          .low = value * 0.99,
                          .high = value / 3, /* no short decimal number */
                          .sharpness = 2.5,
                          .ridge = 16,
                          .threads = 2};
    strcpy(row.reading, reading);
    strcpy(row.kind, "bandwidth");
    strcpy(row.level, "L2");
    strcpy(row.mix, mix);
    strcpy(row.dtype, "f64");
    strcpy(row.device, "cpu");
    strcpy(row.unit, "B/s");
    strcpy(row.basis, "plateau");
    strcpy(row.status, "determined");
    assert_int_equal(rows_add_ceiling(run, &row), STATUS_OK);
}

static int open_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    fake_files_open(&place->files);
    snprintf(place->path, sizeof(place->path), "%s/roof.json", place->files.root);
    strcpy(place->run.run_id, "one");
    place->run.meta_json = strdup("{\"started\":\"2025-02-03T04:05:06Z\",\"child_arguments\":"
                                  "[\"--rounds\",\"4\",\"--levels\",\"L1=32768,L2=1048576*\"]}");
    place->run.machine_json = strdup("{\"host\":\"node7\",\"cpu_model\":\"Example 9000\"}");
    add(&place->run, "typical", "read ladder", 1e10);
    add(&place->run, "typical", "copy plain", 2e10);
    add(&place->run, "capable", "copy plain", 3e10);
    *state = place;
    return 0;
}

static int close_place(void **state)
{
    struct place *place = *state;
    fake_files_close(&place->files);
    run_clear(&place->run);
    free(place);
    return 0;
}

static json_t *parsed(const struct run *run)
{
    char *text;
    if (roof_file_json(run, NULL, &text) != STATUS_OK)
        fail_msg("%s", error_message());
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    free(text);
    return object;
}

static void check_text(const json_t *object, const char *key, const char *expected)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || strcmp(text, expected) != 0)
        fail_msg("%s is '%s', not '%s'", key, text ? text : "absent", expected);
}

static void check_number(const json_t *object, const char *key, double expected)
{
    assert_non_null(json_object_get(object, key));
    assert_true(json_number_value(json_object_get(object, key)) == expected);
}

static void the_head_says_which_run_and_machine_it_is_of(void **state)
{
    const struct place *place = *state;
    json_t *object = parsed(&place->run);
    assert_int_equal(json_integer_value(json_object_get(object, "schema")), 1);
    check_text(object, "run_id", "one");
    check_text(object, "host", "node7");
    check_text(object, "cpu_model", "Example 9000");
    check_text(object, "created", "2025-02-03T04:05:06Z");
    check_text(object, "levels", "L1=32768,L2=1048576*");
    check_text(object, "source", "measured");
    json_decref(object);
}

static void each_typical_ceiling_is_a_row_with_every_bit_of_its_numbers(void **state)
{
    static const char *const mixes[] = {"read ladder", "copy plain"};
    const struct place *place = *state;
    json_t *object = parsed(&place->run);
    const json_t *rows = json_object_get(object, "ceilings");
    assert_int_equal(json_array_size(rows), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(rows, i);
        check_text(row, "kind", "bandwidth");
        check_text(row, "level", "L2");
        check_text(row, "mix", mixes[i]);
        check_text(row, "dtype", "f64");
        check_text(row, "device", "cpu");
        check_text(row, "unit", "B/s");
        check_text(row, "basis", "plateau");
        check_text(row, "status", "determined");
        check_number(row, "threads", 2);
        check_number(row, "value", place->run.ceilings[i].value);
        check_number(row, "low", place->run.ceilings[i].low);
        check_number(row, "high", place->run.ceilings[i].high);
        check_number(row, "sharpness", 2.5);
        check_number(row, "ridge", 16);
    }
    json_decref(object);
}

static void a_run_that_says_little_gives_empty_texts_and_no_rows(void **state)
{
    static const char *const metas[] = {"{}", "no JSON", "{\"child_arguments\":[\"--levels\"]}",
                                        "{\"child_arguments\":[\"--levels\",7],\"started\":7}"};
    (void)state;
    for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
        const struct run run = {.meta_json = strdup(metas[i])};
        json_t *object = parsed(&run);
        check_text(object, "host", "");
        check_text(object, "created", "");
        check_text(object, "levels", "");
        assert_int_equal(json_array_size(json_object_get(object, "ceilings")), 0);
        json_decref(object);
        free(run.meta_json);
    }
    json_decref(parsed(&(struct run){.run_id = "empty"}));
}

static void add_point(struct run *run, const char *device)
{
    struct record point = {.bench = "bench_a", .bytes = 1};
    snprintf(point.device, sizeof(point.device), "%s", device);
    record_identify(&point);
    assert_int_equal(run_add_slice(run, &point), STATUS_OK);
}

/* How many rows of that device the file has, and that each was created then. */
static int count_rows(const char *path, const char *device, const char *created)
{
    json_t *object = json_load_file(path, 0, NULL), *row;
    size_t i;
    int count = 0;
    json_array_foreach(json_object_get(object, "ceilings"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "device")), device) != 0)
            continue;
        check_text(row, "created", created);
        count++;
    }
    json_decref(object);
    return count;
}

/* A run of a GPU leaves the cpu's roofs; a new run of the cpu replaces them; fakes stay apart. */
static void roofs_of_devices_that_were_not_measured_are_kept(void **state)
{
    struct place *place = *state;
    struct run *run = &place->run;
    add_point(run, "cpu");
    assert_int_equal(roof_file_write(place->path, run), STATUS_OK);
    run->points[0].device[0] = '\0';
    strcpy(run->points[0].device, "cuda:0");
    run_forget_fit(run);
    add(run, "typical", "read ladder", 5e12);
    strcpy(run->ceilings[0].device, "cuda:0");
    free(run->meta_json);
    run->meta_json = strdup("{\"started\":\"2026-01-01T00:00:00Z\"}");
    assert_int_equal(roof_file_write(place->path, run), STATUS_OK);
    assert_int_equal(count_rows(place->path, "cpu", "2025-02-03T04:05:06Z"), 2);
    assert_int_equal(count_rows(place->path, "cuda:0", "2026-01-01T00:00:00Z"), 1);
    assert_int_equal(roof_file_write(place->path, run), STATUS_OK); /* again: nothing doubles */
    assert_int_equal(count_rows(place->path, "cpu", "2025-02-03T04:05:06Z"), 2);
    assert_int_equal(count_rows(place->path, "cuda:0", "2026-01-01T00:00:00Z"), 1);
    run->points[0].source = SOURCE_emulated;
    assert_int_equal(roof_file_write(place->path, run), STATUS_OK);
    assert_int_equal(count_rows(place->path, "cpu", ""), 0);
}

static int count_files(const char *folder)
{
    int count = 0;
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    for (const struct dirent *entry; (entry = readdir(opened));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(opened);
    return count;
}

static void check_file_is_of(const char *path, const char *run_id)
{
    json_t *object = json_load_file(path, 0, NULL);
    assert_non_null(object);
    check_text(object, "run_id", run_id);
    json_decref(object);
}

/* A reader that has the old file open goes on with the old file. */
static void a_file_is_replaced_as_a_whole(void **state)
{
    struct place *place = *state;
    assert_int_equal(roof_file_write(place->path, &place->run), STATUS_OK);
    FILE *old = fopen(place->path, "r");
    assert_non_null(old);
    strcpy(place->run.run_id, "two");
    run_forget_fit(&place->run);
    assert_int_equal(roof_file_write(place->path, &place->run), STATUS_OK);
    check_file_is_of(place->path, "two");
    json_t *seen = json_loadf(old, 0, NULL);
    assert_non_null(seen);
    check_text(seen, "run_id", "one");
    json_decref(seen);
    fclose(old);
    assert_int_equal(count_files(place->files.root), 1);
}

static void what_cannot_be_written_is_said_with_its_path(void **state)
{
    struct place *place = *state;
    snprintf(place->path, sizeof(place->path), "%s/missing/roof.json", place->files.root);
    sentence_check(roof_file_write(place->path, &place->run), STATUS_IO, place->path);
    assert_int_equal(count_files(place->files.root), 0);
}

static void the_default_place_is_the_state_folder_that_the_user_chose(void **state)
{
    const struct place *place = *state;
    char path[256], expected[256], chosen[128];
    snprintf(chosen, sizeof(chosen), "%s/a/state", place->files.root);
    setenv("XDG_STATE_HOME", chosen, 1);
    assert_int_equal(roof_file_default(&place->run, path, sizeof(path)), STATUS_OK);
    snprintf(expected, sizeof(expected), "%s/ridge/roof-node7.json", chosen);
    assert_string_equal(path, expected);
    assert_int_equal(roof_file_write(path, &place->run), STATUS_OK); /* the folders are there */
    assert_int_equal(roof_file_default(&place->run, path, sizeof(path)), STATUS_OK);
    check_file_is_of(path, "one");
}

/* A relative XDG_STATE_HOME is to be ignored (XDG Base Directory Specification 0.8). */
static void else_it_is_below_the_home_folder(void **state)
{
    static const char *const useless[] = {NULL, "", "relative/state"};
    const struct place *place = *state;
    char path[256], expected[256];
    setenv("HOME", place->files.root, 1);
    snprintf(expected, sizeof(expected), "%s/.local/state/ridge/roof-node7.json",
             place->files.root);
    for (size_t i = 0; i < sizeof(useless) / sizeof(useless[0]); i++) {
        unsetenv("XDG_STATE_HOME");
        if (useless[i])
            setenv("XDG_STATE_HOME", useless[i], 1);
        assert_int_equal(roof_file_default(&place->run, path, sizeof(path)), STATUS_OK);
        assert_string_equal(path, expected);
    }
    assert_int_equal(roof_file_write(path, &place->run), STATUS_OK);
}

static void folders_that_cannot_be_made_are_an_error_with_the_path(void **state)
{
    struct place *place = *state;
    char path[256], chosen[128];
    fake_files_put(&place->files, "taken", "a file where a folder should be");
    snprintf(chosen, sizeof(chosen), "%s/taken", place->files.root);
    setenv("XDG_STATE_HOME", chosen, 1);
    sentence_check(roof_file_default(&place->run, path, sizeof(path)), STATUS_IO, chosen);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_head_says_which_run_and_machine_it_is_of),
        TEST(each_typical_ceiling_is_a_row_with_every_bit_of_its_numbers),
        TEST(a_run_that_says_little_gives_empty_texts_and_no_rows),
        TEST(roofs_of_devices_that_were_not_measured_are_kept),
        TEST(a_file_is_replaced_as_a_whole),
        TEST(what_cannot_be_written_is_said_with_its_path),
        TEST(the_default_place_is_the_state_folder_that_the_user_chose),
        TEST(else_it_is_below_the_home_folder),
        TEST(folders_that_cannot_be_made_are_an_error_with_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
