#include "harness/model/place.h"

#include "harness/model/params.h"

#include <jansson.h>
#include <string.h>

static const double MOST_OF_PRIVATE = 0.75, MOST_OF_SHARED = 0.6, ABOVE_LOWER = 1.5;
static const double TIMES_LAST = 4;

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
    double total = point->working_set_bytes, part = total / (point->threads ? point->threads : 1);
    double below = 0;
    for (int i = 0; i < levels->count; i++) {
        const struct level *level = &levels->level[i];
        double capacity = (double)level->capacity_bytes;
        bool fits =
            level->shared ? total <= MOST_OF_SHARED * capacity : part <= MOST_OF_PRIVATE * capacity;
        if (fits)
            return part >= ABOVE_LOWER * below ? level->name : "";
        below = capacity;
    }
    return levels->count && total >= TIMES_LAST * below ? "memory" : "";
}
