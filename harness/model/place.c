#include "harness/model/place.h"

#include "harness/model/params.h"

#include <jansson.h>
#include <string.h>

void place_levels(const char *meta_json, struct levels *levels)
{
    json_t *meta = json_loads(meta_json ? meta_json : "", 0, NULL);
    const json_t *arguments = json_object_get(meta, "child_arguments");
    const char *text = NULL;
    *levels = (struct levels){0};
    for (size_t i = 0; i + 1 < json_array_size(arguments); i++) {
        const char *option = json_string_value(json_array_get(arguments, i));
        if (option && strcmp(option, "--levels") == 0)
            text = json_string_value(json_array_get(arguments, i + 1));
    }
    if (!text || levels_parse(text, levels) != STATUS_OK)
        *levels = (struct levels){0};
    json_decref(meta);
}

static const char *name_as_measured(const struct record *point, const struct levels *levels)
{
    char name[16];
    params_text(point, "level", name, sizeof(name));
    for (int i = 0; i < levels->count; i++)
        if (strcmp(levels->level[i].name, name) == 0)
            return levels->level[i].name;
    return strcmp(name, "memory") == 0 ? "memory" : "";
}

const char *place_of(const struct record *point, const struct levels *levels)
{
    if (strstr(point->params, "\"level\":"))
        return name_as_measured(point, levels);
    return levels_place(levels, point->working_set_bytes, point->threads);
}
