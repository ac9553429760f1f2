/* Which level of the memory hierarchy holds a point's working set. */
#pragma once

#include "harness/measure/levels.h"
#include "harness/store/run.h"

enum { LEVEL_MAP_MOST = 64 };

/* The levels of everything that a run measured: those of the cpu, by which its children were told
 * (--levels), and those of each device beside it, as /machines says. Count 0 where not known. */
struct level_map {
    struct levels cpu;
    struct {
        char device[32];
        struct levels levels;
    } list[LEVEL_MAP_MOST];
    int count;
};

/* A GPU that the file does not describe has no levels; a fake device has the cpu's. */
void level_map_of(const struct run *run, struct level_map *map);
const struct levels *level_map_get(const struct level_map *map, const char *device);

/* As the bench was asked for ("level"), else by the size of its working set: see levels_place.
 * "shared" is a GPU's shared memory. */
const char *place_of(const struct record *point, const struct level_map *map);
