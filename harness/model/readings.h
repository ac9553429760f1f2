/* The points of a run as the model sees them: where the data lay, what was mixed, how fast. */
#pragma once

#include "harness/model/place.h"
#include "harness/model/summary.h"
#include "harness/store/run.h"

struct reading {
    const struct record *point; /* of the run, which must outlive this */
    char level[16];             /* "shared", "L1" .. "memory"; "" between two levels */
    char mix[32];               /* "fma" of the ladder; "read", "copy plain", "add nontemporal" */
    struct summary summary;
    double intensity; /* op/byte; 0 where no byte is counted */
};

struct readings {
    struct level_map map; /* the levels of the run's devices */
    struct reading *list; /* owned; points that are ok, controls left out */
    size_t count;
};

C_API_BEGIN

enum status readings_of(const struct run *run, struct readings *readings);
void readings_clear(struct readings *readings);

/* One point, control or not; a point that is not ok has a summary of zeros. */
enum status reading_of(const struct record *point, const struct level_map *map,
                       struct reading *reading);

bool reading_is_ladder(const struct reading *reading);

/* Does it tell a level's bandwidth? Streams of a GPU only that of its memory: in nearer levels a
 * launch takes longer than the data, which the ladder reads many times per launch. */
bool reading_tells_bandwidth(const struct reading *reading);

/* Same device, dtype and thread count: they share a roof. */
bool reading_same_part(const struct reading *a, const struct reading *b);

C_API_END
