#include "harness/drive/meta.h"

#include "harness/base/version.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void meta_add_argument(struct child_arguments *arguments, const char *text)
{
    if (arguments->count == META_MAX_ARGUMENTS)
        return; /* unreachable: at most nine pairs are given */
    char *slot = arguments->text[arguments->count];
    snprintf(slot, sizeof(arguments->text[0]), "%s", text);
    arguments->list[arguments->count++] = slot;
}

static json_t *string_array(const char *const *texts, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

static const char *utc_now(char *buffer, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(buffer, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buffer;
}

static enum status dump(json_t *object, char **text)
{
    *text = object ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    json_decref(object);
    return *text ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the run's description");
}

enum status meta_create(const struct campaign_options *options, const struct suite *suite,
                        const struct child_arguments *arguments, char **meta_json)
{
    char now[32];
    json_t *command =
        string_array((const char *const *)options->arguments, options->argument_count);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:b}", "tool",
                               "ridge", "tool_version", version_text(), "commit", version_commit(),
                               "compiler", version_compiler(), "started", utc_now(now, sizeof(now)),
                               "suite", suite->name, "suite_path", suite->path, "suite_text",
                               suite->text, "command_line", command, "child_arguments",
                               string_array(arguments->list, arguments->count), "complete", 0);
    return dump(object, meta_json);
}

enum status meta_finish(char **meta_json, const struct campaign_result *result, bool is_complete)
{
    char now[32], *text;
    json_t *object = json_loads(*meta_json, 0, NULL);
    json_t *outcome =
        json_pack("{s:s, s:f, s:f, s:f, s:b}", "ended", utc_now(now, sizeof(now)), "run_seconds",
                  result->seconds, "child_seconds", result->child_seconds, "journal_seconds",
                  result->journal_seconds, "complete", (int)is_complete);
    if (object && outcome)
        json_object_update(object, outcome);
    json_decref(outcome);
    TRY(dump(object, &text));
    free(*meta_json);
    *meta_json = text;
    return STATUS_OK;
}

bool meta_is_complete(const char *meta_json)
{
    json_t *object = json_loads(meta_json ? meta_json : "", 0, NULL);
    bool is_complete = json_is_true(json_object_get(object, "complete"));
    json_decref(object);
    return is_complete;
}

static enum status read_fields(const json_t *object, char **suite_text, char **suite_path,
                               struct child_arguments *arguments)
{
    const char *text = json_string_value(json_object_get(object, "suite_text"));
    const char *path = json_string_value(json_object_get(object, "suite_path"));
    const json_t *list = json_object_get(object, "child_arguments"), *item;
    size_t i;
    if (!text || !path || !json_is_array(list))
        return FAIL(STATUS_BAD_ARGUMENT, "the run does not say which suite it was");
    *suite_text = strdup(text);
    *suite_path = strdup(path);
    json_array_foreach(list, i, item)
    {
        if (json_is_string(item))
            meta_add_argument(arguments, json_string_value(item));
    }
    return *suite_text && *suite_path ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a suite");
}

enum status meta_read(const char *meta_json, char **suite_text, char **suite_path,
                      struct child_arguments *arguments)
{
    *suite_text = *suite_path = NULL;
    *arguments = (struct child_arguments){0};
    json_t *object = json_loads(meta_json ? meta_json : "", 0, NULL);
    enum status status = read_fields(object, suite_text, suite_path, arguments);
    json_decref(object);
    return status;
}
