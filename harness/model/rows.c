#include "harness/model/rows.h"

#include "harness/base/quantile.h"

#include <stdlib.h>

enum { STEP = 32 };

/* Grown a step at a time: a run has a few dozen ceilings. */
static void *grown(void *rows, size_t count, size_t row_bytes)
{
    return count % STEP ? rows : realloc(rows, (count + STEP) * row_bytes);
}

enum status rows_add_ceiling(struct run *run, const struct ceiling *row)
{
    struct ceiling *rows = grown(run->ceilings, run->ceilings_count, sizeof(*row));
    if (!rows)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu ceilings", run->ceilings_count);
    run->ceilings = rows;
    rows[run->ceilings_count++] = *row;
    return STATUS_OK;
}

enum status rows_add_residual(struct run *run, const struct residual *row)
{
    struct residual *rows = grown(run->residuals, run->residuals_count, sizeof(*row));
    if (!rows)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu residuals", run->residuals_count);
    run->residuals = rows;
    rows[run->residuals_count++] = *row;
    return STATUS_OK;
}

double rows_median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    quantile_sort(values, count);
    return quantile_of_sorted(values, count, 0.5);
}
