#include "harness/model/readings.h"

#include "harness/model/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void readings_clear(struct readings *readings)
{
    free(readings->list);
    *readings = (struct readings){0};
}

bool reading_is_ladder(const struct reading *reading)
{
    return strcmp(reading->mix, "fma") == 0;
}

bool reading_tells_bandwidth(const struct reading *reading)
{
    const bool is_gpu = record_device_is_gpu(reading->point->device);
    return reading->level[0] &&
           (reading_is_ladder(reading) || !is_gpu || strcmp(reading->level, "memory") == 0);
}

bool reading_same_part(const struct reading *a, const struct reading *b)
{
    return a->point->threads == b->point->threads &&
           strcmp(a->point->dtype, b->point->dtype) == 0 &&
           strcmp(a->point->device, b->point->device) == 0;
}

static void name_mix(const struct record *point, char *mix, size_t size)
{
    char op[16];
    params_text(point, "op", op, sizeof(op));
    if (strstr(point->params, "\"fmas\":"))
        snprintf(mix, size, "fma");
    else if (strcmp(op, "read") == 0 || op[0] == '\0')
        snprintf(mix, size, "%s", op);
    else
        snprintf(mix, size, "%s %s", op, point->store_kind);
}

enum status reading_of(const struct record *point, const struct level_map *map,
                       struct reading *reading)
{
    *reading = (struct reading){.point = point};
    TRY(summary_of(point, &reading->summary));
    snprintf(reading->level, sizeof(reading->level), "%s", place_of(point, map));
    name_mix(point, reading->mix, sizeof(reading->mix));
    reading->intensity = point->bytes > 0 ? point->operations / point->bytes : 0;
    return STATUS_OK;
}

enum status readings_of(const struct run *run, struct readings *readings)
{
    *readings = (struct readings){0};
    level_map_of(run, &readings->map);
    readings->list = calloc(run->points_count + 1, sizeof(*readings->list));
    if (!readings->list)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu points", run->points_count);
    for (size_t i = 0; i < run->points_count; i++) {
        struct reading *reading = &readings->list[readings->count];
        if (params_is_control(&run->points[i]))
            continue;
        TRY(reading_of(&run->points[i], &readings->map, reading));
        readings->count += reading->summary.typical.value > 0;
    }
    return STATUS_OK;
}
