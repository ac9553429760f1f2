#include "harness/model/ladder.h"

#include "harness/model/ceilings.h"
#include "harness/model/params.h"
#include "harness/record/median.h"

#include <stdlib.h>
#include <string.h>

bool ladder_is_peer(const char *variant)
{
    static const char *const peers[] = {"openblas", "blis", "blas", "cublas", "cublaslt"};
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
        if (strcmp(peers[i], variant) == 0)
            return true;
    return false;
}

double ladder_rate(const struct record *point)
{
    double half_width;
    const double seconds = record_median_seconds(point, &half_width);
    return point->status == RECORD_ok && seconds > 0 ? point->operations / seconds : 0;
}

static bool is_same_ladder(const struct record *a, const struct record *b)
{
    return strcmp(a->bench, b->bench) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->params, b->params) == 0;
}

/* The fastest peer of the point's ladder, or NULL. */
static const struct record *best_peer(const struct run *run, const struct record *point)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *other = &run->points[i];
        if (!ladder_is_peer(other->variant) || !is_same_ladder(other, point) ||
            !(ladder_rate(other) > 0))
            continue;
        if (!best || ladder_rate(other) > ladder_rate(best))
            best = other;
    }
    return best;
}

void ladder_set_shares(struct run *run)
{
    for (size_t i = 0; i < run->points_count; i++) {
        struct record *point = &run->points[i];
        const double rate = ladder_rate(point);
        const struct ceiling *roof = ceilings_compute_of(run, point);
        const struct record *peer = rate > 0 ? best_peer(run, point) : NULL;
        point->share_of_peer = peer ? rate / ladder_rate(peer) : 0;
        point->share_of_roof = roof ? rate / roof->value : 0;
    }
}

static bool is_counted(const struct run *run, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_ladder(&run->points[i], &run->points[index]))
            return true;
    return false;
}

static enum status gather(const struct run *run, size_t first, struct ladder *ladder)
{
    const struct record *head = &run->points[first];
    ladder->rungs = calloc(run->points_count - first, sizeof(*ladder->rungs));
    if (!ladder->rungs)
        return FAIL(STATUS_NO_MEMORY, "no memory for a ladder");
    for (size_t i = first; i < run->points_count; i++)
        if (is_same_ladder(&run->points[i], head))
            ladder->rungs[ladder->count++] = &run->points[i];
    ladder->roof = ceilings_product(run, part_of_point(head));
    ladder->peer = best_peer(run, head);
    return STATUS_OK;
}

enum status ladders_of(const struct run *run, struct ladders *ladders)
{
    *ladders = (struct ladders){0};
    ladders->list = calloc(run->points_count + 1, sizeof(*ladders->list));
    if (!ladders->list)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu ladders", run->points_count);
    for (size_t i = 0; i < run->points_count; i++) {
        if (params_is_control(&run->points[i]) || is_counted(run, i))
            continue;
        struct ladder *ladder = &ladders->list[ladders->count];
        TRY(gather(run, i, ladder));
        if (ladder->count >= 2) {
            ladders->count++;
            continue;
        }
        free(ladder->rungs);
        *ladder = (struct ladder){0};
    }
    return STATUS_OK;
}

void ladders_clear(struct ladders *ladders)
{
    for (size_t i = 0; ladders->list && i < ladders->count; i++)
        free(ladders->list[i].rungs);
    free(ladders->list);
    *ladders = (struct ladders){0};
}
