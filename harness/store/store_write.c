#include "harness/base/version.h"
#include "harness/record/json_text.h"
#include "harness/store/ceilings_table.h"
#include "harness/store/image.h"
#include "harness/store/points.h"
#include "harness/store/replace.h"
#include "harness/store/scalar.h"
#include "harness/store/store.h"
#include "harness/store/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What /run holds by itself; the run's meta_json cannot say otherwise. */
static const char *const reserved[] = {"schema_version", "run_id", "meta_json"};

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return name[0] == '\0';
}

/* A group that remembers the order in which its members were made. */
static hid_t create_group(hid_t where, const char *name)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = H5Gcreate2(where, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

/* Creates the group, lets `fill` put its members in, and closes it. */
static enum status with_group(hid_t where, const char *name, const struct run *run,
                              enum status (*fill)(hid_t group, const struct run *run))
{
    hid_t group = create_group(where, name);
    if (group < 0)
        return FAIL(STATUS_IO, "HDF5 refuses the group \"%s\"", name);
    enum status status = fill(group, run);
    H5Gclose(group);
    return status;
}

static enum status write_member(hid_t group, const char *name, const json_t *value)
{
    if (json_is_string(value))
        return scalar_write_text_attribute(group, name, json_string_value(value));
    if (json_is_real(value))
        return scalar_write_real_attribute(group, name, json_real_value(value));
    if (json_is_integer(value))
        return scalar_write_integer_attribute(group, name, json_integer_value(value));
    if (json_is_boolean(value))
        return scalar_write_integer_attribute(group, name, json_is_true(value));
    char *text = json_dumps(value, JSON_TEXT_FLAGS | JSON_ENCODE_ANY);
    if (!text)
        return FAIL(STATUS_NO_MEMORY, "no memory for \"%s\" of the run", name);
    enum status status = scalar_write_text_attribute(group, name, text);
    free(text);
    return status;
}

static enum status write_members(hid_t group, json_t *meta)
{
    const char *name;
    json_t *value;
    json_object_foreach(meta, name, value)
    {
        if (!is_reserved(name))
            TRY(write_member(group, name, value));
    }
    if (!json_object_get(meta, "tool_version"))
        TRY(scalar_write_text_attribute(group, "tool_version", version_text()));
    return STATUS_OK;
}

static enum status fill_run(hid_t group, const struct run *run)
{
    TRY(scalar_write_integer_attribute(group, "schema_version", STORE_SCHEMA));
    TRY(scalar_write_text_attribute(group, "run_id", run->run_id));
    TRY(scalar_write_text_attribute(group, "meta_json", run->meta_json ? run->meta_json : "{}"));
    json_t *meta;
    TRY(json_text_parse_object("the run's meta", run->meta_json, &meta));
    enum status status = write_members(group, meta);
    json_decref(meta);
    return status;
}

static enum status fill_machine(hid_t group, const struct run *run)
{
    TRY(scalar_write_text_attribute(group, "machine_json",
                                    run->machine_json ? run->machine_json : "{}"));
    return run->topology_xml ? scalar_write_text(group, "topology_xml", run->topology_xml)
                             : STATUS_OK;
}

static void describe_machine(const json_t *machine, struct store_machine *row)
{
    const char *host = json_string_value(json_object_get(machine, "host"));
    const char *model = json_string_value(json_object_get(machine, "cpu_model"));
    *row = (struct store_machine){0};
    snprintf(row->host, sizeof(row->host), "%s", host && host[0] ? host : "unknown");
    snprintf(row->cpu_model, sizeof(row->cpu_model), "%s", model ? model : "");
    row->memory_bytes = json_number_value(json_object_get(machine, "memory_bytes"));
    row->thread_count = (int32_t)json_integer_value(json_object_get(machine, "thread_count"));
}

static enum status write_machine_row(hid_t file, const json_t *machine)
{
    struct table table;
    void *row;
    enum status status = table_create(&table, file, &store_machines, 1);
    if (status == STATUS_OK)
        status = table_next(&table, &row);
    if (status == STATUS_OK) {
        describe_machine(machine, row);
        status = table_flush(&table);
    }
    table_close(&table);
    return status;
}

/* A host's name as the name of a group: no slash, not the folder itself, not our table. */
static void name_group(const char *host, char *name, size_t size)
{
    bool is_taken = strcmp(host, ".") == 0 || strcmp(host, "table") == 0;
    snprintf(name, size, "%s%s", host, is_taken ? "_" : "");
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
}

static enum status fill_machines(hid_t group, const struct run *run)
{
    json_t *machine;
    struct store_machine row;
    char name[sizeof(row.host) + 1];
    TRY(json_text_parse_object("the run's machine", run->machine_json, &machine));
    describe_machine(machine, &row);
    name_group(row.host, name, sizeof(name));
    enum status status = write_machine_row(group, machine);
    json_decref(machine);
    TRY(status);
    return with_group(group, name, run, fill_machine);
}

static enum status fill_logs(hid_t group, const struct run *run)
{
    for (size_t i = 0; i < run->logs_count; i++)
        TRY(scalar_write_text(group, run->logs[i].name, run->logs[i].text));
    return STATUS_OK;
}

static enum status fill_file(hid_t file, const struct run *run)
{
    TRY(with_group(file, "run", run, fill_run));
    TRY(with_group(file, "machines", run, fill_machines));
    TRY(points_write(file, run));
    TRY(ceilings_table_write(file, run));
    return with_group(file, "logs", run, fill_logs);
}

static enum status build_image(struct image *image, const struct run *run)
{
    hid_t file;
    TRY(image_create(image, points_bytes(run), &file));
    enum status status = fill_file(file, run);
    enum status closed = image_close(image, file);
    return status != STATUS_OK ? status : closed;
}

enum status store_write(const char *path, const struct run *run)
{
    struct image image;
    scalar_prepare_hdf5();
    enum status status = build_image(&image, run);
    if (status != STATUS_OK)
        status = FAIL(status, "%s cannot be made: %s", path, error_message());
    else
        status = replace_file(path, image.bytes, image.size);
    free(image.bytes);
    return status;
}
