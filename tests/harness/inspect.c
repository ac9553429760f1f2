/* Looks into the files of the tests, and makes bad ones:
 *
 *     inspect points FILE     each point as a line of JSON, with all samples
 *     inspect logs FILE       each log as "NAME BYTES"
 *     inspect log FILE NAME   the text of a log
 *     inspect foreign FILE    writes an HDF5 file that is not ridge's
 *     inspect schema FILE N   sets the schema of ridge's file to N
 */
#include "harness/store/store.h"

#include <hdf5.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status print_points(const struct run *run, const char *unused)
{
    (void)unused;
    for (size_t i = 0; i < run->points_count; i++) {
        char *line;
        TRY(record_to_json(&run->points[i], &line));
        puts(line);
        free(line);
    }
    return STATUS_OK;
}

static enum status print_logs(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->logs_count; i++) {
        if (!name)
            printf("%s %zu\n", run->logs[i].name, strlen(run->logs[i].text));
        else if (strcmp(run->logs[i].name, name) == 0)
            fputs(run->logs[i].text, stdout);
    }
    return STATUS_OK;
}

static enum status with_run(const char *path, const char *name,
                            enum status (*print)(const struct run *, const char *))
{
    struct run run;
    TRY(store_read(path, &run));
    enum status status = print(&run, name);
    run_clear(&run);
    return status;
}

static enum status make_foreign(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "entry", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    return H5Fclose(file) >= 0 ? STATUS_OK : FAIL(STATUS_IO, "%s cannot be made", path);
}

static enum status set_schema(const char *path, int schema)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "run", H5P_DEFAULT);
    hid_t attribute = H5Aopen(group, "schema_version", H5P_DEFAULT);
    herr_t written = H5Awrite(attribute, H5T_NATIVE_INT, &schema);
    H5Aclose(attribute);
    H5Gclose(group);
    H5Fclose(file);
    return written >= 0 ? STATUS_OK
                        : FAIL(STATUS_IO, "%s has no attribute /run/schema_version", path);
}

static enum status act(const char *verb, const char *path, const char *word)
{
    if (strcmp(verb, "points") == 0)
        return with_run(path, NULL, print_points);
    if (strcmp(verb, "logs") == 0 || strcmp(verb, "log") == 0)
        return with_run(path, word, print_logs);
    if (strcmp(verb, "foreign") == 0)
        return make_foreign(path);
    if (strcmp(verb, "schema") == 0 && word)
        return set_schema(path, atoi(word));
    return FAIL(STATUS_BAD_ARGUMENT, "what is '%s'?", verb);
}

int main(int argc, char **argv)
{
    enum status status = argc < 3 ? FAIL(STATUS_BAD_ARGUMENT, "inspect VERB FILE [WORD]")
                                  : act(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
    if (status != STATUS_OK)
        error_print("inspect");
    return status_exit_code(status);
}
