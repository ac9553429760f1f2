#include "harness/store/ceilings_table.h"
#include "harness/store/points.h"
#include "harness/store/scalar.h"
#include "harness/store/store.h"
#include "harness/store/store_types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TEXT_LIMIT_BYTES = 1 << 28, /* of a log or a topology; 256 MiB */
    NAME_BYTES = 256,           /* of a member of a group */
    SIGNATURE_BYTES = 8,
    FIRST_USER_BLOCK_BYTES = 512, /* HDF5 allows others to write before the file proper */
    SUPERBLOCK_BYTES = 48,
};

static const char signature[] = "\x89HDF\r\n\x1a\n";

static enum status read_schema(hid_t group)
{
    int64_t schema;
    TRY(scalar_read_integer_attribute(group, "schema_version", &schema));
    if (schema > STORE_SCHEMA)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "it was made by schema %lld, this ridge reads up to %d: update ridge",
                    (long long)schema, STORE_SCHEMA);
    return STATUS_OK;
}

static enum status read_run(hid_t group, struct run *run)
{
    char *run_id;
    TRY(read_schema(group));
    TRY(scalar_read_text_attribute(group, "run_id", sizeof(run->run_id), &run_id));
    snprintf(run->run_id, sizeof(run->run_id), "%s", run_id);
    free(run_id);
    return scalar_read_text_attribute(group, "meta_json", TEXT_LIMIT_BYTES, &run->meta_json);
}

/* The name of a group's member, by the order in which they were made; "" at the end. */
static void find_name(hid_t group, hsize_t index, char *name)
{
    name[0] = '\0';
    H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, index, name, NAME_BYTES,
                       H5P_DEFAULT);
}

/* The members of /machines are the table and one group per host; a run has one host. */
static enum status read_machine(hid_t group, struct run *run)
{
    char name[NAME_BYTES];
    hsize_t index = 0;
    do
        find_name(group, index++, name);
    while (strcmp(name, store_machines.name) == 0);
    hid_t machine = name[0] ? H5Gopen2(group, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (machine < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "/machines holds no machine");
    enum status status =
        scalar_read_text_attribute(machine, "machine_json", TEXT_LIMIT_BYTES, &run->machine_json);
    if (status == STATUS_OK && H5Lexists(machine, "topology_xml", H5P_DEFAULT) > 0)
        status = scalar_read_text(machine, "topology_xml", TEXT_LIMIT_BYTES, &run->topology_xml);
    H5Gclose(machine);
    return status;
}

static enum status read_logs(hid_t group, struct run *run)
{
    char name[NAME_BYTES];
    for (hsize_t index = 0; find_name(group, index, name), name[0]; index++) {
        char *text;
        TRY(scalar_read_text(group, name, TEXT_LIMIT_BYTES, &text));
        enum status status = run_add_log(run, name, text);
        free(text);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status with_group(hid_t file, const char *name, struct run *run,
                              enum status (*read)(hid_t group, struct run *run))
{
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    if (group < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "its /%s is missing or damaged", name);
    enum status status = read(group, run);
    H5Gclose(group);
    return status;
}

static enum status read_file(hid_t file, struct run *run)
{
    TRY(with_group(file, "run", run, read_run));
    TRY(with_group(file, "machines", run, read_machine));
    TRY(with_group(file, "logs", run, read_logs));
    TRY(points_read(file, run));
    return ceilings_table_read(file, run);
}

static enum status check_signature(const char *path, int fd, off_t size)
{
    char found[SIGNATURE_BYTES];
    for (off_t at = 0; at < size; at = at ? 2 * at : FIRST_USER_BLOCK_BYTES) {
        ssize_t got = pread(fd, found, sizeof(found), at);
        if (got < 0)
            return FAIL(STATUS_IO, "%s cannot be read: %s", path, strerror(errno));
        if (got == SIGNATURE_BYTES && memcmp(found, signature, SIGNATURE_BYTES) == 0)
            return STATUS_OK;
    }
    return FAIL(STATUS_BAD_ARGUMENT, "%s is no HDF5 file", path);
}

static enum status check_file(const char *path, off_t *size)
{
    struct stat now;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FAIL(STATUS_IO, "%s cannot be opened: %s", path, strerror(errno));
    bool known = fstat(fd, &now) == 0;
    *size = known ? now.st_size : 0;
    enum status status = check_signature(path, fd, *size);
    close(fd);
    return status;
}

static herr_t find_truncation(unsigned depth, const H5E_error2_t *error, void *found)
{
    (void)depth;
    *(bool *)found |= error->min_num == H5E_TRUNCATED;
    return 0;
}

static enum status open_file(const char *path, hid_t *file)
{
    off_t size = 0;
    TRY(check_file(path, &size));
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file >= 0)
        return STATUS_OK;
    bool truncated = size < SUPERBLOCK_BYTES;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_truncation, &truncated);
    return FAIL(STATUS_BAD_ARGUMENT, "%s is %s: measure again, or resume its journal", path,
                truncated ? "truncated" : "damaged");
}

enum status store_read(const char *path, struct run *run)
{
    hid_t file = H5I_INVALID_HID;
    *run = (struct run){0};
    scalar_prepare_hdf5();
    TRY(open_file(path, &file));
    enum status status = STATUS_OK;
    if (H5Lexists(file, "run", H5P_DEFAULT) == 0)
        status =
            FAIL(STATUS_BAD_ARGUMENT, "%s is an HDF5 file, but not ridge's: it has no /run", path);
    else if ((status = read_file(file, run)) != STATUS_OK)
        status = FAIL(status, "%s cannot be used: %s", path, error_message());
    H5Fclose(file);
    if (status != STATUS_OK)
        run_clear(run);
    return status;
}
