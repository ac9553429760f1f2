#include "harness/model/roof_file.h"

#include "harness/measure/roof_book.h"
#include "harness/model/place.h"
#include "harness/store/replace.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOF_SCHEMA = 1 };

static json_t *row_json(const struct ceiling *c, const char *created)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:s}",
                     "kind", c->kind, "level", c->level, "mix", c->mix, "dtype", c->dtype, "device",
                     c->device, "threads", (int)c->threads, "unit", c->unit, "basis", c->basis,
                     "status", c->status, "value", c->value, "low", c->low, "high", c->high,
                     "sharpness", c->sharpness, "ridge", c->ridge, "created", created);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool has_device(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->points_count; i++)
        if (strcmp(run->points[i].device, device) == 0)
            return true;
    return false;
}

/* Rows of an older file of the same source for the devices that this run did not measure: one of
 * GPUs alone leaves the cpu's roofs. */
static void keep_others(const char *path, const struct run *run, const char *source, json_t *rows)
{
    json_t *old = json_load_file(path, 0, NULL), *row;
    const json_t *ceilings = json_object_get(old, "ceilings");
    size_t i;
    const bool is_ours = json_integer_value(json_object_get(old, "schema")) == ROOF_SCHEMA &&
                         strcmp(text_of(old, "source"), source) == 0;
    json_array_foreach(ceilings, i, row)
    {
        if (is_ours && !has_device(run, text_of(row, "device")))
            json_array_append(rows, row);
    }
    json_decref(old);
}

enum status roof_file_json(const struct run *run, const char *path, char **json)
{
    json_t *meta = json_loads(run->meta_json ? run->meta_json : "{}", 0, NULL);
    json_t *machine = json_loads(run->machine_json ? run->machine_json : "{}", 0, NULL);
    json_t *rows = json_array();
    struct level_map map;
    char levels_text[160];
    level_map_of(run, &map);
    for (size_t i = 0; i < run->ceilings_count; i++)
        if (strcmp(run->ceilings[i].reading, "typical") == 0)
            json_array_append_new(rows, row_json(&run->ceilings[i], text_of(meta, "started")));
    const char *source =
        record_source_name(run->points_count ? run->points[0].source : SOURCE_measured);
    if (path)
        keep_others(path, run, source, rows);
    json_t *object = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "schema", ROOF_SCHEMA,
                               "run_id", run->run_id, "host", text_of(machine, "host"), "cpu_model",
                               text_of(machine, "cpu_model"), "created", text_of(meta, "started"),
                               "levels", levels_format(&map.cpu, levels_text, sizeof(levels_text)),
                               "source", source, "ceilings", rows);
    *json = object ? json_dumps(object, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(object);
    json_decref(meta);
    json_decref(machine);
    return *json ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the roofs as JSON");
}

enum status roof_file_write(const char *path, const struct run *run)
{
    char *json;
    TRY(roof_file_json(run, path, &json));
    enum status status = replace_file(path, json, strlen(json));
    free(json);
    return status;
}

static enum status make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed)
            return FAIL(STATUS_IO, "cannot make the folder of %s: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

enum status roof_file_default(const struct run *run, char *path, size_t size)
{
    json_t *machine = json_loads(run->machine_json ? run->machine_json : "{}", 0, NULL);
    roof_book_default_path(text_of(machine, "host"), path, size);
    json_decref(machine);
    return make_folder(path);
}
