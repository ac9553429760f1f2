#include "harness/model/place.h"

#include "harness/model/params.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void parse(const char *text, struct levels *levels)
{
    if (!text || levels_parse(text, levels) != STATUS_OK)
        *levels = (struct levels){0};
}

static void take_cpu(const char *meta_json, struct levels *levels)
{
    json_t *meta = json_loads(meta_json ? meta_json : "", 0, NULL);
    const json_t *arguments = json_object_get(meta, "child_arguments");
    const char *text = NULL;
    for (size_t i = 0; i + 1 < json_array_size(arguments); i++) {
        const char *option = json_string_value(json_array_get(arguments, i));
        if (option && strcmp(option, "--levels") == 0)
            text = json_string_value(json_array_get(arguments, i + 1));
    }
    parse(text, levels);
    json_decref(meta);
}

static void take_devices(const char *machine_json, struct level_map *map)
{
    json_t *machine = json_loads(machine_json ? machine_json : "", 0, NULL);
    const json_t *devices = json_object_get(machine, "devices");
    for (size_t i = 0; i < json_array_size(devices) && map->count < LEVEL_MAP_MOST; i++) {
        const json_t *device = json_array_get(devices, i);
        const char *name = json_string_value(json_object_get(device, "device"));
        if (!name)
            continue;
        snprintf(map->list[map->count].device, sizeof(map->list[0].device), "%s", name);
        parse(json_string_value(json_object_get(device, "levels")),
              &map->list[map->count++].levels);
    }
    json_decref(machine);
}

void level_map_of(const struct run *run, struct level_map *map)
{
    *map = (struct level_map){0};
    take_cpu(run->meta_json, &map->cpu);
    take_devices(run->machine_json, map);
}

const struct levels *level_map_get(const struct level_map *map, const char *device)
{
    static const struct levels unknown = {0};
    for (int i = 0; i < map->count; i++)
        if (strcmp(map->list[i].device, device) == 0)
            return &map->list[i].levels;
    return record_device_is_gpu(device) ? &unknown : &map->cpu;
}

static const char *name_as_measured(const struct record *point, const struct levels *levels)
{
    char name[16];
    params_text(point, "level", name, sizeof(name));
    for (int i = 0; i < levels->count; i++)
        if (strcmp(levels->level[i].name, name) == 0)
            return levels->level[i].name;
    return strcmp(name, "memory") == 0 ? "memory" : strcmp(name, "shared") == 0 ? "shared" : "";
}

const char *place_of(const struct record *point, const struct level_map *map)
{
    const struct levels *levels = level_map_get(map, point->device);
    if (strstr(point->params, "\"level\":"))
        return name_as_measured(point, levels);
    return levels_place(levels, point->working_set_bytes, point->threads);
}
