/* The file of a run: what is written is read, and a damaged, foreign or newer file is refused. */
#include "harness/store/scalar.h"
#include "harness/store/store.h"
#include "harness/store/store_types.h"
#include "tests/unit/example_run.h"
#include "tests/unit/fake_files.h"

#include <dirent.h>
#include <math.h>
#include <sys/mount.h>

/* HDF5 forgets to free memory on its way out of a damaged file, which is not ours to mend. The leak
 * sanitizer asks this function what to overlook; without it nobody does. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

struct place {
    struct fake_files files;
    char path[128];
};

static int open_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    fake_files_open(&place->files);
    snprintf(place->path, sizeof(place->path), "%s/run.h5", place->files.root);
    *state = place;
    return 0;
}

static int close_place(void **state)
{
    struct place *place = *state;
    fake_files_close(&place->files);
    free(place);
    return 0;
}

static void write_run(const char *path, const struct run *run)
{
    if (store_write(path, run) != STATUS_OK)
        fail_msg("%s", error_message());
}

static void read_run(const char *path, struct run *run)
{
    if (store_read(path, run) != STATUS_OK)
        fail_msg("%s", error_message());
}

static void check_refused(const char *path, enum status expected, const char *words)
{
    struct run run;
    assert_int_equal(store_read(path, &run), expected);
    example_check_words(words);
    example_check_words(path);
    assert_null(run.points);
}

/* The whole of a file; the caller frees. */
static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void save(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
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

static void a_run_comes_back_from_its_file(void **state)
{
    const struct place *place = *state;
    struct run before, after;
    example_run(&before, 7, 5);
    write_run(place->path, &before);
    read_run(place->path, &after);
    example_check_same_run(&after, &before);
    assert_int_equal(count_files(place->files.root), 1);
    run_clear(&before);
    run_clear(&after);
}

static void points_may_have_different_counts_of_samples_or_none(void **state)
{
    const struct place *place = *state;
    struct run before, after;
    example_run(&before, 0, 0);
    for (int i = 0; i < 700; i++)
        example_add(&before, i, 0, i % 40);
    write_run(place->path, &before);
    read_run(place->path, &after);
    example_check_same_run(&after, &before);
    run_clear(&before);
    run_clear(&after);
}

static void a_run_without_anything_comes_back_too(void **state)
{
    const struct place *place = *state;
    struct run before = {.run_id = "empty"}, after;
    write_run(place->path, &before);
    read_run(place->path, &after);
    assert_string_equal(after.run_id, "empty");
    assert_string_equal(after.meta_json, "{}");
    assert_string_equal(after.machine_json, "{}");
    assert_null(after.topology_xml);
    assert_int_equal(after.points_count, 0);
    assert_int_equal(after.logs_count, 0);
    run_clear(&after);
}

static void texts_may_be_long_and_hosts_may_have_strange_names(void **state)
{
    static const char *const hosts[] = {".", "table", "a/b", "..", ""};
    const struct place *place = *state;
    enum { LONG_BYTES = 300000 };
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        struct run before, after;
        example_run(&before, 1, 1);
        free(before.machine_json);
        free(before.meta_json);
        assert_true(asprintf(&before.machine_json, "{\"host\":\"%s\"}", hosts[i]) > 0);
        assert_true(asprintf(&before.meta_json, "{\"long\":\"%0*d\"}", LONG_BYTES, 7) > LONG_BYTES);
        write_run(place->path, &before);
        read_run(place->path, &after);
        example_check_same_run(&after, &before);
        run_clear(&before);
        run_clear(&after);
    }
}

static void statistics_are_those_of_the_samples(void **state)
{
    (void)state;
    struct record point;
    struct store_point row;
    example_slice(&point, 1, 0, 5); /* 2, 9, 6, 3, 10 ms */
    assert_int_equal(store_encode_point(&point, 40, &row), STATUS_OK);
    assert_true(fabs(row.median_s - 6e-3) < 1e-15 && fabs(row.min_s - 2e-3) < 1e-15);
    assert_true(fabs(row.q1_s - 3e-3) < 1e-15 && fabs(row.q3_s - 9e-3) < 1e-15);
    assert_true(fabs(row.bytes_per_s - 2e6 / 6e-3) < 1e-3);
    assert_true(fabs(row.ops_per_s - 1e6 / 6e-3) < 1e-3);
    assert_true(fabs(row.link_bytes_per_s - 100 / 6e-3) < 1e-6);
    assert_true(row.intensity == 0.5);
    assert_true(row.samples_offset == 40 && row.samples_count == 5);
    assert_string_equal(row.flags, "unsteady,oversubscribed");
    record_clear(&point);
}

static void a_void_time_is_not_stored(void **state)
{
    const struct place *place = *state;
    struct run run;
    example_run(&run, 2, 3);
    run.points[1].samples[1].seconds = NAN;
    assert_int_equal(store_write(place->path, &run), STATUS_BAD_ARGUMENT);
    example_check_words("void the point");
    assert_int_equal(count_files(place->files.root), 0);
    run_clear(&run);
}

static void writing_again_replaces_the_file(void **state)
{
    const struct place *place = *state;
    struct run run, after;
    example_run(&run, 2, 3);
    write_run(place->path, &run);
    example_add(&run, 2, 0, 1);
    write_run(place->path, &run);
    read_run(place->path, &after);
    example_check_same_run(&after, &run);
    run_clear(&run);
    run_clear(&after);
}

static void the_run_is_described_by_attributes(void **state)
{
    const struct place *place = *state;
    struct run run;
    int64_t number = 0;
    char *text;
    example_run(&run, 1, 1);
    write_run(place->path, &run);
    run_clear(&run);
    hid_t file = H5Fopen(place->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "run", H5P_DEFAULT);
    assert_int_equal(scalar_read_integer_attribute(group, "schema_version", &number), STATUS_OK);
    assert_int_equal(number, STORE_SCHEMA);
    assert_int_equal(scalar_read_integer_attribute(group, "host_count", &number), STATUS_OK);
    assert_int_equal(number, 1);
    assert_int_equal(scalar_read_text_attribute(group, "suite", 100, &text), STATUS_OK);
    assert_string_equal(text, "quick");
    free(text);
    assert_int_equal(scalar_read_text_attribute(group, "command", 100, &text), STATUS_OK);
    assert_string_equal(text, "[\"ridge\",\"run\"]");
    free(text);
    assert_int_equal(scalar_read_text_attribute(group, "tool_version", 100, &text), STATUS_OK);
    free(text);
    H5Gclose(group);
    H5Fclose(file);
}

static void a_newer_schema_is_refused_by_name(void **state)
{
    const struct place *place = *state;
    struct run run;
    example_run(&run, 1, 1);
    write_run(place->path, &run);
    run_clear(&run);
    hid_t file = H5Fopen(place->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "run", H5P_DEFAULT);
    assert_true(H5Adelete(group, "schema_version") >= 0);
    assert_int_equal(scalar_write_integer_attribute(group, "schema_version", 3), STATUS_OK);
    H5Gclose(group);
    H5Fclose(file);
    check_refused(place->path, STATUS_BAD_ARGUMENT,
                  "made by schema 3, this ridge reads up to 2: update ridge");
}

static void what_is_not_ours_is_refused_by_name(void **state)
{
    const struct place *place = *state;
    check_refused(place->path, STATUS_IO, "No such file");
    check_refused(place->files.root, STATUS_IO, "Is a directory");
    save(place->path, "", 0);
    check_refused(place->path, STATUS_BAD_ARGUMENT, "is no HDF5 file");
    save(place->path, "plain text, and no table of numbers", 35);
    check_refused(place->path, STATUS_BAD_ARGUMENT, "is no HDF5 file");
    hid_t file = H5Fcreate(place->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    check_refused(place->path, STATUS_BAD_ARGUMENT,
                  "is an HDF5 file, but not ridge's: it has no /run");
}

static void a_table_without_one_of_its_columns_is_refused(void **state)
{
    const struct place *place = *state;
    struct run run;
    example_run(&run, 1, 1);
    write_run(place->path, &run);
    run_clear(&run);
    hid_t file = H5Fopen(place->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "samples", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_hard(file, "points", file, "samples", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    check_refused(place->path, STATUS_BAD_ARGUMENT, "/samples lacks the column seconds");
}

/* Puts a number into the first row of /points and closes it. */
static void spoil_row(const char *path, const char *column, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "points", H5P_DEFAULT);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(value));
    H5Tinsert(type, column, 0, H5T_NATIVE_UINT64);
    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void a_point_cannot_claim_samples_that_are_not_there(void **state)
{
    static const struct {
        const char *column;
        uint64_t value;
    } lies[] = {{"samples_offset", 1}, {"samples_offset", UINT64_MAX}, {"samples_count", 4}};
    const struct place *place = *state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        struct run run;
        example_run(&run, 1, 3);
        write_run(place->path, &run);
        run_clear(&run);
        spoil_row(place->path, lies[i].column, lies[i].value);
        check_refused(place->path, STATUS_BAD_ARGUMENT, "but /samples has 3 rows");
    }
}

static void a_row_that_was_changed_does_not_pass_for_its_case(void **state)
{
    const struct place *place = *state;
    struct run run;
    example_run(&run, 1, 3);
    strcpy(run.points[0].dtype, "f32");
    write_run(place->path, &run);
    run_clear(&run);
    check_refused(place->path, STATUS_BAD_ARGUMENT, "does not belong to its parameters");
}

static void a_file_that_was_cut_is_refused_at_every_length(void **state)
{
    const struct place *place = *state;
    struct run run;
    size_t size;
    example_run(&run, 3, 3);
    write_run(place->path, &run);
    run_clear(&run);
    char *bytes = load(place->path, &size);
    for (size_t length = 0; length < size; length += length < 100 ? 1 : 997) {
        save(place->path, bytes, length);
        check_refused(place->path, STATUS_BAD_ARGUMENT,
                      length < 8 ? "is no HDF5 file" : "is truncated");
    }
    free(bytes);
}

static void flipped_bits_are_noticed_or_harmless(void **state)
{
    const struct place *place = *state;
    enum { FLIPS_COUNT = 3000 };
    struct run before, after;
    size_t size;
    int refused = 0;
    example_run(&before, 3, 3);
    write_run(place->path, &before);
    char *bytes = load(place->path, &size);
    srand(1);
    for (int i = 0; i < FLIPS_COUNT; i++) {
        /* Every other flip hits the first 4 KiB, where the structure of the file lies densest. */
        size_t at = (size_t)rand() % (i % 2 ? size : 4096);
        char mask = (char)(1 << rand() % 8);
        bytes[at] ^= mask;
        save(place->path, bytes, size);
        bytes[at] ^= mask;
        enum status status = store_read(place->path, &after);
        refused += status != STATUS_OK;
        if (status != STATUS_OK)
            continue;
        assert_int_equal(after.points_count, before.points_count);
        for (size_t k = 0; k < after.points_count; k++)
            example_check_same_record(&after.points[k], &before.points[k]);
        run_clear(&after);
    }
    assert_true(refused > FLIPS_COUNT / 10);
    free(bytes);
    run_clear(&before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_comes_back_from_its_file),
        TEST(points_may_have_different_counts_of_samples_or_none),
        TEST(a_run_without_anything_comes_back_too),
        TEST(texts_may_be_long_and_hosts_may_have_strange_names),
        TEST(statistics_are_those_of_the_samples),
        TEST(a_void_time_is_not_stored),
        TEST(writing_again_replaces_the_file),
        TEST(the_run_is_described_by_attributes),
        TEST(a_newer_schema_is_refused_by_name),
        TEST(what_is_not_ours_is_refused_by_name),
        TEST(a_table_without_one_of_its_columns_is_refused),
        TEST(a_point_cannot_claim_samples_that_are_not_there),
        TEST(a_row_that_was_changed_does_not_pass_for_its_case),
        TEST(a_file_that_was_cut_is_refused_at_every_length),
        TEST(flipped_bits_are_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
