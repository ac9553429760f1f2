/* The file of a run on a disk that refuses: the old file stays, and nothing half-written is left.
 */
#include "harness/store/store.h"
#include "tests/unit/example_run.h"
#include "tests/unit/fake_files.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>

/* A small file system of the test's own; only root can have one. */
struct disk {
    struct fake_files files;
    char path[128];
};

static int open_disk(void **state)
{
    struct disk *disk = calloc(1, sizeof(*disk));
    assert_non_null(disk);
    fake_files_open(&disk->files);
    snprintf(disk->path, sizeof(disk->path), "%s/run.h5", disk->files.root);
    if (mount("none", disk->files.root, "tmpfs", 0, "size=1m") != 0) {
        fake_files_close(&disk->files);
        free(disk);
        disk = NULL;
    }
    *state = disk;
    return 0;
}

static int close_disk(void **state)
{
    struct disk *disk = *state;
    if (!disk)
        return 0;
    umount2(disk->files.root, MNT_DETACH);
    fake_files_close(&disk->files);
    free(disk);
    return 0;
}

static struct disk *get_disk(void **state)
{
    if (!*state)
        skip();
    return *state;
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

/* Writes a small run, which fits, and checks that it is still there after `refused` was tried. */
static void check_that_the_old_file_stays(const struct disk *disk, const struct run *refused,
                                          const char *words)
{
    struct run after, small;
    assert_int_equal(store_write(disk->path, refused), STATUS_IO);
    example_check_words(words);
    example_check_words(disk->path);
    example_run(&small, 2, 3);
    assert_int_equal(count_files(disk->files.root), 1);
    assert_int_equal(store_read(disk->path, &after), STATUS_OK);
    example_check_same_run(&after, &small);
    run_clear(&after);
    run_clear(&small);
}

static void on_a_full_disk_the_old_file_stays_and_no_temporary_one(void **state)
{
    const struct disk *disk = get_disk(state);
    struct run small, large;
    example_run(&small, 2, 3);
    example_run(&large, 1000, 3); /* 1.6 MB */
    assert_int_equal(store_write(disk->path, &small), STATUS_OK);
    for (int i = 0; i < 3; i++)
        check_that_the_old_file_stays(disk, &large, "No space left on device");
    assert_int_equal(store_write(disk->path, &small), STATUS_OK);
    run_clear(&small);
    run_clear(&large);
}

static void in_a_read_only_folder_the_reason_is_named(void **state)
{
    const struct disk *disk = get_disk(state);
    struct run small;
    example_run(&small, 2, 3);
    assert_int_equal(store_write(disk->path, &small), STATUS_OK);
    assert_int_equal(mount("none", disk->files.root, "tmpfs", MS_REMOUNT | MS_RDONLY, ""), 0);
    check_that_the_old_file_stays(disk, &small, "Read-only file system");
    run_clear(&small);
}

static void a_folder_that_does_not_exist_is_named(void **state)
{
    (void)state;
    struct run small;
    example_run(&small, 1, 1);
    assert_int_equal(store_write("/nowhere/at/all.h5", &small), STATUS_IO);
    example_check_words("/nowhere/at/all.h5");
    example_check_words("No such file or directory");
    run_clear(&small);
}

static void a_folder_in_the_files_place_is_not_replaced(void **state)
{
    const struct disk *disk = get_disk(state);
    struct run small;
    example_run(&small, 1, 1);
    assert_int_equal(mkdir(disk->path, 0700), 0);
    assert_int_equal(store_write(disk->path, &small), STATUS_IO);
    example_check_words("Is a directory");
    assert_int_equal(count_files(disk->files.root), 1);
    run_clear(&small);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_disk, close_disk)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(on_a_full_disk_the_old_file_stays_and_no_temporary_one),
        TEST(in_a_read_only_folder_the_reason_is_named),
        TEST(a_folder_that_does_not_exist_is_named),
        TEST(a_folder_in_the_files_place_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
