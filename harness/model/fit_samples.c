#include "harness/model/fit_internal.h"

#include <math.h>
#include <stdlib.h>

/* Rounds that occur, in ascending order, become 0, 1, ...; -1: does not occur. */
struct round_map {
    int index[LADDER_MOST_ROUNDS], count;
};

static enum status check_point(const struct ladder *ladder, const struct ladder_point *point,
                               struct round_map *map)
{
    if (point->level < 0 || point->level >= ladder->levels_count)
        return FAIL(STATUS_BAD_ARGUMENT, "a ladder of %d levels has a point in level %d",
                    ladder->levels_count, point->level);
    if (!(point->intensity > 0) || !isfinite(point->intensity))
        return FAIL(STATUS_BAD_ARGUMENT, "a point's intensity is %g op/byte", point->intensity);
    for (size_t s = 0; s < point->samples_count; s++) {
        double rate = point->samples[s].ops_per_s;
        int32_t round = point->samples[s].round;
        if (!(rate > 0) || !isfinite(rate))
            return FAIL(STATUS_BAD_ARGUMENT, "a sample's rate is %g op/s", rate);
        if (round < 0 || round >= LADDER_MOST_ROUNDS)
            return FAIL(STATUS_BAD_ARGUMENT, "a sample is of round %d, beyond 0 .. %d", round,
                        LADDER_MOST_ROUNDS - 1);
        map->index[round] = 0;
    }
    return STATUS_OK;
}

static enum status check_control(const struct ladder *ladder, const struct ladder_control *control)
{
    if (control->level < LADDER_ARITHMETIC || control->level >= ladder->levels_count)
        return FAIL(STATUS_BAD_ARGUMENT, "a control of level %d in a ladder of %d levels",
                    control->level, ladder->levels_count);
    if (control->round < 0 || control->round >= LADDER_MOST_ROUNDS)
        return FAIL(STATUS_BAD_ARGUMENT, "a control is of round %d, beyond 0 .. %d", control->round,
                    LADDER_MOST_ROUNDS - 1);
    if (!(control->speed > 0) || !isfinite(control->speed))
        return FAIL(STATUS_BAD_ARGUMENT, "a control's speed is %g", control->speed);
    return STATUS_OK;
}

static enum status check(const struct ladder *ladder, struct round_map *map)
{
    if (ladder->levels_count < 1 || ladder->levels_count > LADDER_MOST_LEVELS)
        return FAIL(STATUS_BAD_ARGUMENT, "a ladder of %d levels; 1 .. %d can be fitted",
                    ladder->levels_count, LADDER_MOST_LEVELS);
    for (int r = 0; r < LADDER_MOST_ROUNDS; r++)
        map->index[r] = -1;
    for (size_t i = 0; i < ladder->points_count; i++)
        TRY(check_point(ladder, &ladder->points[i], map));
    for (size_t i = 0; i < ladder->controls_count; i++)
        TRY(check_control(ladder, &ladder->controls[i]));
    map->count = 0;
    for (int r = 0; r < LADDER_MOST_ROUNDS; r++)
        if (map->index[r] == 0)
            map->index[r] = map->count++;
    return STATUS_OK;
}

/* The bootstrap draws a point's rounds; with a single round it can only draw its samples, which
 * shows less than another round would. */
static void set_clusters(const struct fit_data *data, struct fit_point *point)
{
    int seen[LADDER_MOST_ROUNDS] = {0};
    struct fit_sample *samples = data->samples + point->begin;
    for (size_t s = 0; s < point->count; s++)
        seen[samples[s].round] = 1;
    point->clusters = 0;
    for (int r = 0; r < data->rounds_count; r++)
        if (seen[r])
            seen[r] = point->clusters++;
    for (size_t s = 0; s < point->count; s++)
        samples[s].cluster =
            point->clusters > 1 ? seen[samples[s].round] : (int)(s % LADDER_MOST_ROUNDS);
    if (point->clusters == 1)
        point->clusters =
            point->count < LADDER_MOST_ROUNDS ? (int)point->count : (int)LADDER_MOST_ROUNDS;
}

static void copy_point(const struct ladder_point *from, const struct round_map *map,
                       struct fit_data *data)
{
    struct fit_point *point = &data->points[data->points_count++];
    *point = (struct fit_point){.level = from->level,
                                .log_intensity = log(from->intensity),
                                .begin = data->samples_count,
                                .count = from->samples_count};
    for (size_t s = 0; s < from->samples_count; s++) {
        double slowness = -log(from->samples[s].ops_per_s);
        data->samples[data->samples_count++] = (struct fit_sample){
            .raw = slowness, .adjusted = slowness, .round = map->index[from->samples[s].round]};
    }
    set_clusters(data, point);
}

static void copy_controls(const struct ladder *ladder, const struct round_map *map,
                          struct fit_data *data)
{
    for (int e = 0; e <= LADDER_MOST_LEVELS; e++)
        for (int r = 0; r < LADDER_MOST_ROUNDS; r++)
            data->controls[e][r] = NAN;
    for (size_t i = 0; i < ladder->controls_count; i++) {
        const struct ladder_control *control = &ladder->controls[i];
        int round = map->index[control->round];
        if (round >= 0)
            data->controls[1 + control->level][round] = -log(control->speed);
    }
}

static int compare(const void *a, const void *b)
{
    double x = ((const struct fit_sample *)a)->adjusted;
    double y = ((const struct fit_sample *)b)->adjusted;
    return (x > y) - (x < y);
}

void fit_samples_sort(struct fit_data *data)
{
    for (size_t i = 0; i < data->points_count; i++)
        qsort(data->samples + data->points[i].begin, data->points[i].count, sizeof(*data->samples),
              compare);
}

enum status fit_samples_take(const struct ladder *ladder, struct fit_data *data)
{
    struct round_map map = {.count = 0};
    size_t total = 0;
    TRY(check(ladder, &map));
    for (size_t i = 0; i < ladder->points_count; i++)
        total += ladder->points[i].samples_count;
    data->points = calloc(ladder->points_count + 1, sizeof(*data->points));
    data->samples = calloc(total + 1, sizeof(*data->samples));
    if (!data->points || !data->samples)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu samples of a ladder", total);
    data->levels_count = ladder->levels_count;
    data->rounds_count = map.count;
    for (size_t i = 0; i < ladder->points_count; i++)
        copy_point(&ladder->points[i], &map, data);
    copy_controls(ladder, &map, data);
    fit_samples_sort(data);
    return STATUS_OK;
}

void fit_samples_clear(struct fit_data *data)
{
    free(data->points);
    free(data->samples);
    *data = (struct fit_data){0};
}

/* Type 6 of Hyndman and Fan 1996: the k-th of n samples stands for the fraction k / (n + 1), which
 * is its mean; so it has less bias below the median than type 7. For the median all types agree. */
double fit_quantile(const struct fit_sample *samples, size_t count, const int *times,
                    double fraction)
{
    size_t total = 0, seen = 0, i = 0;
    for (size_t s = 0; s < count; s++)
        total += times ? (size_t)times[samples[s].cluster] : 1;
    double position = ((double)total + 1) * fraction - 1;
    position = fmax(0, fmin((double)(total - 1), position));
    size_t below = (size_t)position;
    for (; i < count; i++) {
        seen += times ? (size_t)times[samples[i].cluster] : 1;
        if (seen > below)
            break;
    }
    double low = samples[i].adjusted;
    if (seen > below + 1 || below + 1 >= total)
        return low;
    do
        i++;
    while (times && times[samples[i].cluster] == 0);
    return low + (position - (double)below) * (samples[i].adjusted - low);
}
