#include "harness/model/drift.h"

#include "harness/model/params.h"
#include "harness/model/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slowest and fastest round of the controls of one kind. */
struct range {
    double fastest_seconds, slowest_seconds;
    int rounds;
};

static void take_round(const struct record *control, int round, double *scratch,
                       struct range *range)
{
    size_t count = 0;
    for (size_t i = 0; i < control->samples_count; i++)
        if (control->samples[i].round == round)
            scratch[count++] = control->samples[i].seconds;
    if (count == 0)
        return;
    double seconds = rows_median(scratch, count);
    range->fastest_seconds = fmin(range->fastest_seconds, seconds);
    range->slowest_seconds = fmax(range->slowest_seconds, seconds);
    range->rounds++;
}

static double moved(const struct range *range)
{
    return range->rounds ? range->slowest_seconds / range->fastest_seconds - 1 : -1;
}

enum status drift_of(const struct run *run, const char *device, struct drift *drift)
{
    struct range memory = {.fastest_seconds = INFINITY}, arithmetic = memory;
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *point = &run->points[i];
        if (!params_is_control(point) || point->status != RECORD_ok ||
            strcmp(point->device, device) != 0)
            continue;
        bool is_arithmetic = strstr(point->params, "\"fmas\":") != NULL;
        double *scratch = malloc((point->samples_count + 1) * sizeof(*scratch));
        if (!scratch)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu samples", point->samples_count);
        for (int round = 0; round <= point->round; round++)
            take_round(point, round, scratch, is_arithmetic ? &arithmetic : &memory);
        free(scratch);
    }
    *drift = (struct drift){.memory = moved(&memory),
                            .arithmetic = moved(&arithmetic),
                            .rounds = memory.rounds > arithmetic.rounds ? memory.rounds
                                                                        : arithmetic.rounds};
    return STATUS_OK;
}
