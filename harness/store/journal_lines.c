#include "harness/record/json_text.h"
#include "harness/store/journal.h"

#include <stdio.h>
#include <stdlib.h>

/* Prints and releases the object; NULL stands for one that could not be built. */
static enum status print_line(json_t *object, const char *kind, char **line)
{
    *line = object ? json_dumps(object, JSON_TEXT_FLAGS) : NULL;
    json_decref(object);
    if (!*line)
        return FAIL(STATUS_NO_MEMORY, "no memory for a line of kind %s", kind);
    return STATUS_OK;
}

enum status journal_line_run(const struct run *run, char **line)
{
    *line = NULL;
    json_t *meta, *machine;
    TRY(json_text_parse_object("the run's meta", run->meta_json, &meta));
    enum status status = json_text_parse_object("the run's machine", run->machine_json, &machine);
    if (status != STATUS_OK) {
        json_decref(meta);
        return status;
    }
    json_t *topology = run->topology_xml ? json_text_repair(run->topology_xml) : json_null();
    json_t *run_id = json_text_repair(run->run_id);
    json_t *object =
        json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "kind", "run", "schema", RECORD_SCHEMA,
                  "run_id", run_id, "meta", meta, "machine", machine, "topology_xml", topology);
    return print_line(object, "run", line);
}

enum status journal_line_slice(const struct record *slice, char **line)
{
    return record_to_json(slice, line);
}

enum status journal_line_lost(const struct record *identity, int round, char **line)
{
    *line = NULL;
    struct record bare = *identity;
    bare.samples = NULL;
    bare.samples_count = bare.samples_room = 0;
    bare.round = round;
    char *record;
    TRY(record_to_json(&bare, &record));
    json_t *reason = json_text_repair(bare.reason);
    char *quoted = reason ? json_dumps(reason, JSON_ENCODE_ANY) : NULL;
    int length = -1;
    if (quoted)
        length = asprintf(line,
                          "{\"kind\":\"lost\",\"case_id\":\"%s\",\"round\":%d,\"status\":\"%s\","
                          "\"reason\":%s,\"record\":%s}",
                          bare.case_id, round, record_status_name(bare.status), quoted, record);
    json_decref(reason);
    free(quoted);
    free(record);
    if (length < 0) {
        *line = NULL;
        return FAIL(STATUS_NO_MEMORY, "no memory for a line of kind lost");
    }
    return STATUS_OK;
}

enum status journal_line_log(const struct run_log *log, char **line)
{
    json_t *object = json_pack("{s:s, s:o, s:o}", "kind", "log", "name",
                               json_text_repair(log->name), "text", json_text_repair(log->text));
    return print_line(object, "log", line);
}

enum status journal_line_meta(const char *meta_json, char **line)
{
    *line = NULL;
    json_t *meta;
    TRY(json_text_parse_object("the run's meta", meta_json, &meta));
    return print_line(json_pack("{s:s, s:o}", "kind", "meta", "meta", meta), "meta", line);
}
