#include "harness/record/json_text.h"
#include "harness/store/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line as it came from the file, and what jansson made of it. */
struct line {
    const char *text;
    size_t length;
    const json_t *object;
};

static enum status bad_line(const char *why)
{
    return FAIL(STATUS_BAD_ARGUMENT, "a line of the journal %s", why);
}

static enum status keep_object(const json_t *object, const char *key, char **text)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_object(member))
        return bad_line("lacks an object");
    char *dumped = json_dumps(member, JSON_TEXT_FLAGS);
    if (!dumped)
        return FAIL(STATUS_NO_MEMORY, "no memory for the run's %s", key);
    free(*text);
    *text = dumped;
    return STATUS_OK;
}

static enum status read_run(const struct line *line, struct run *run)
{
    const char *run_id = json_string_value(json_object_get(line->object, "run_id"));
    const char *xml = json_string_value(json_object_get(line->object, "topology_xml"));
    if (run->run_id[0] || !run_id || !run_id[0] || strlen(run_id) >= sizeof(run->run_id))
        return bad_line("is a second first one, or names no run");
    TRY(keep_object(line->object, "meta", &run->meta_json));
    TRY(keep_object(line->object, "machine", &run->machine_json));
    run->topology_xml = xml ? strdup(xml) : NULL;
    if (xml && !run->topology_xml)
        return FAIL(STATUS_NO_MEMORY, "no memory for the topology of %zu bytes", strlen(xml));
    strcpy(run->run_id, run_id);
    return STATUS_OK;
}

static enum status read_slice(const struct line *line, struct run *run)
{
    struct record slice;
    TRY(record_from_json(line->text, line->length, &slice));
    enum status status = run_add_slice(run, &slice);
    record_clear(&slice);
    return status;
}

static enum status read_log(const struct line *line, struct run *run)
{
    const char *name = json_string_value(json_object_get(line->object, "name"));
    const char *text = json_string_value(json_object_get(line->object, "text"));
    if (!name || !text)
        return bad_line("is a log without name or text");
    return run_add_log(run, name, text);
}

static enum status read_meta(const struct line *line, struct run *run)
{
    return keep_object(line->object, "meta", &run->meta_json);
}

/* A case that has samples is no lost one, whatever happened to its other rounds. */
static enum status mark_lost(const struct record *lost, struct run *run)
{
    struct record *point = run_find(run, lost->case_id);
    if (!point)
        return run_add_slice(run, lost);
    if (point->samples_count > 0)
        return STATUS_OK;
    point->status = lost->status;
    memcpy(point->reason, lost->reason, sizeof(point->reason));
    return STATUS_OK;
}

static enum status read_lost(const struct line *line, struct run *run)
{
    const char *text = json_text_member(line->text, line->text + line->length, "record");
    if (!text || *text != '{')
        return bad_line("is a loss without its record");
    struct record lost;
    TRY(record_from_json(text, json_text_object_length(text), &lost));
    enum status status = mark_lost(&lost, run);
    record_clear(&lost);
    return status;
}

/* The losses come last, because what was lost first may have been measured later. */
static const struct kind {
    const char *name;
    int pass;
    enum status (*read)(const struct line *line, struct run *run);
} kinds[] = {
    {"run", 0, read_run},   {"slice", 0, read_slice}, {"log", 0, read_log},
    {"meta", 0, read_meta}, {"lost", 1, read_lost},
};
enum { KINDS_COUNT = sizeof(kinds) / sizeof(kinds[0]), PASSES_COUNT = 2 };

static const struct kind *find_kind(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "kind"));
    for (int i = 0; name && i < KINDS_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* A line that says nothing of use is counted; only what ends the reading is a failure. */
static enum status read_line(const char *text, size_t length, int pass, struct run *run,
                             size_t *skipped_lines)
{
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    const struct kind *kind = find_kind(object);
    struct line line = {.text = text, .length = length, .object = object};
    enum status status = STATUS_OK;
    if (!kind)
        *skipped_lines += pass == 0;
    else if (kind->pass == pass)
        status = kind->read(&line, run);
    json_decref(object);
    if (status != STATUS_BAD_ARGUMENT)
        return status;
    *skipped_lines += 1;
    return STATUS_OK;
}

/* The second pass looks at losses only, which our writer begins so. */
static bool is_of_pass(const char *text, int pass)
{
    static const char lost[] = "{\"kind\":\"lost\"";
    return pass == 0 || strncmp(text, lost, strlen(lost)) == 0;
}

static enum status read_pass(FILE *file, int pass, struct run *run, size_t *skipped_lines)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (length = getline(&text, &room, file)) > 0) {
        bool whole = text[length - 1] == '\n'; /* else a crash cut it, and nobody relies on it */
        if (whole && is_of_pass(text, pass))
            status = read_line(text, (size_t)length - 1, pass, run, skipped_lines);
    }
    free(text);
    if (status == STATUS_OK && ferror(file))
        status = FAIL(STATUS_IO, "%s", strerror(errno));
    return status;
}

/* A newer ridge may mean other things by the same words, so nothing of it is read. */
static enum status check_schema(FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getline(&text, &room, file);
    json_t *object = length > 0 ? json_loadb(text, (size_t)length, 0, NULL) : NULL;
    long long schema = json_integer_value(json_object_get(object, "schema"));
    json_decref(object);
    free(text);
    if (schema > RECORD_SCHEMA)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "it was made by schema %lld, this ridge reads up to %d: update ridge", schema,
                    RECORD_SCHEMA);
    return STATUS_OK;
}

static enum status read_passes(FILE *file, struct run *run, size_t *skipped_lines)
{
    TRY(check_schema(file));
    for (int pass = 0; pass < PASSES_COUNT; pass++) {
        rewind(file);
        TRY(read_pass(file, pass, run, skipped_lines));
    }
    if (!run->run_id[0])
        return FAIL(STATUS_BAD_ARGUMENT,
                    "no line of it describes a run: it is no journal of ridge, or was cut at its "
                    "beginning; remove it");
    return STATUS_OK;
}

enum status journal_read(const char *path, struct run *run, size_t *skipped_lines)
{
    *run = (struct run){0};
    *skipped_lines = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return FAIL(STATUS_IO, "the journal %s cannot be opened: %s", path, strerror(errno));
    enum status status = read_passes(file, run, skipped_lines);
    fclose(file);
    if (status == STATUS_OK)
        return STATUS_OK;
    run_clear(run);
    return FAIL(status, "the journal %s cannot be used: %s", path, error_message());
}
