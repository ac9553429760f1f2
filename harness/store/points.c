#include "harness/store/points.h"

#include "harness/store/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 128 };

static enum status fill_points(struct table *table, const struct run *run)
{
    uint64_t samples_offset = 0;
    for (size_t i = 0; i < run->points_count; i++) {
        void *row;
        TRY(table_next(table, &row));
        TRY(store_encode_point(&run->points[i], samples_offset, row));
        samples_offset += run->points[i].samples_count;
    }
    return table_flush(table);
}

static enum status fill_samples(struct table *table, const struct run *run)
{
    for (size_t i = 0; i < run->points_count; i++)
        for (size_t k = 0; k < run->points[i].samples_count; k++) {
            void *row;
            TRY(table_next(table, &row));
            *(struct sample *)row = run->points[i].samples[k];
        }
    return table_flush(table);
}

static enum status write_table(hid_t file, const struct store_table *shape, size_t rows,
                               const struct run *run,
                               enum status (*fill)(struct table *table, const struct run *run))
{
    struct table table;
    enum status status = table_create(&table, file, shape, rows);
    if (status == STATUS_OK)
        status = fill(&table, run);
    table_close(&table);
    return status;
}

static size_t count_samples(const struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->points_count; i++)
        count += run->points[i].samples_count;
    return count;
}

size_t points_bytes(const struct run *run)
{
    return run->points_count * sizeof(struct store_point) +
           count_samples(run) * sizeof(struct sample);
}

enum status points_write(hid_t file, const struct run *run)
{
    TRY(write_table(file, &store_points, run->points_count, run, fill_points));
    return write_table(file, &store_samples, count_samples(run), run, fill_samples);
}

/* All samples of the file, in one array, until they are dealt out to their points. */
struct pool {
    struct sample *samples;
    uint64_t count;
};

static bool is_sample(const struct sample *sample)
{
    return isfinite(sample->seconds) && sample->seconds > 0 && isfinite(sample->runs) &&
           isfinite(sample->start_seconds) && isfinite(sample->clock_hz) &&
           isfinite(sample->foreign_load);
}

static enum status deal_samples(const struct pool *pool, const struct store_point *row,
                                struct record *point)
{
    uint64_t offset = row->samples_offset, count = row->samples_count;
    if (offset > pool->count || count > pool->count - offset)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "case %s has %llu samples from row %llu on, but /samples has %llu rows",
                    point->case_id, (unsigned long long)count, (unsigned long long)offset,
                    (unsigned long long)pool->count);
    if (count == 0)
        return STATUS_OK;
    for (uint64_t i = offset; i < offset + count; i++)
        if (!is_sample(&pool->samples[i]))
            return FAIL(STATUS_BAD_ARGUMENT, "row %llu of /samples holds no positive finite time",
                        (unsigned long long)i);
    point->samples = malloc(count * sizeof(*point->samples));
    if (!point->samples)
        return FAIL(STATUS_NO_MEMORY, "no memory for %llu samples", (unsigned long long)count);
    memcpy(point->samples, pool->samples + offset, count * sizeof(*point->samples));
    point->samples_count = point->samples_room = count;
    return STATUS_OK;
}

static enum status read_rows(const struct table *table, const struct pool *pool, struct run *run)
{
    struct store_point rows[ROWS_AT_ONCE] = {0}; /* what an older file lacks stays zero */
    while (run->points_count < table->total) {
        size_t left = (size_t)(table->total - run->points_count);
        size_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        TRY(table_read(table, run->points_count, count, rows));
        for (size_t i = 0; i < count; i++) {
            struct record *point = &run->points[run->points_count++];
            TRY(store_decode_point(&rows[i], point));
            TRY(deal_samples(pool, &rows[i], point));
        }
    }
    return STATUS_OK;
}

static enum status read_points(const struct table *table, struct pool *pool, struct run *run)
{
    if (table->total == 0)
        return STATUS_OK;
    run->points = calloc(table->total, sizeof(*run->points));
    if (!run->points)
        return FAIL(STATUS_NO_MEMORY, "no memory for %llu points",
                    (unsigned long long)table->total);
    run->points_room = table->total;
    return read_rows(table, pool, run);
}

static enum status read_pool(const struct table *table, struct pool *pool, struct run *run)
{
    (void)run;
    pool->count = table->total;
    pool->samples = malloc((table->total + 1) * sizeof(*pool->samples));
    if (!pool->samples)
        return FAIL(STATUS_NO_MEMORY, "no memory for %llu samples",
                    (unsigned long long)table->total);
    return table_read(table, 0, table->total, pool->samples);
}

static enum status
with_table(hid_t file, const struct store_table *shape, struct pool *pool, struct run *run,
           enum status (*read)(const struct table *table, struct pool *pool, struct run *run))
{
    struct table table;
    enum status status = table_open(&table, file, shape);
    if (status == STATUS_OK)
        status = read(&table, pool, run);
    table_close(&table);
    return status;
}

enum status points_read(hid_t file, struct run *run)
{
    struct pool pool = {0};
    enum status status = with_table(file, &store_samples, &pool, run, read_pool);
    if (status == STATUS_OK)
        status = with_table(file, &store_points, &pool, run, read_points);
    free(pool.samples);
    return status;
}
