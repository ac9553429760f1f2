/* What our store costs beyond HDF5 itself: a run of 10,000 points with 20 samples each, written by
 * store_write against the least that the same datasets need: raw hyperslab writes, a chunk at a
 * time, of rows that lie ready, into extendible chunked datasets of the same compound types and
 * with the same checksums, closed and brought to the disk too. Both alternate, so that a drift of
 * the machine hits both; an A/A control tells what noise looks like, and a third kind of file what
 * the checksums cost.
 *
 *     bench_store [FOLDER]    a folder on a disk, by default this one; exit 1 if a goal is missed
 */
#include "harness/base/clock.h"
#include "harness/base/quantile.h"
#include "harness/store/scalar.h"
#include "harness/store/store.h"
#include "harness/store/store_types.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_COUNT = 10000, SAMPLES_EACH = 20, PAIRS_COUNT = 15 };
static const double RATIO_GOAL = 1.3, READ_GOAL_SECONDS = 0.05;

static enum status make_run(struct run *run)
{
    strcpy(run->run_id, "bench_store");
    run->points = calloc(POINTS_COUNT, sizeof(*run->points));
    if (!run->points)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d points", POINTS_COUNT);
    run->points_room = POINTS_COUNT;
    for (int i = 0; i < POINTS_COUNT; i++) {
        struct record *point = &run->points[run->points_count++];
        strcpy(point->bench, "vector_add");
        snprintf(point->params, sizeof(point->params), "{\"size\":%d,\"threads\":2}", i);
        point->bytes = 12.0 * (i + 1);
        point->operations = i + 1;
        record_identify(point);
        for (int k = 0; k < SAMPLES_EACH; k++) {
            double seconds = 1e-6 * (1 + (double)((i * 7919 + k * 104729) % 1000) / 1000);
            struct sample sample = {.seconds = seconds, .runs = 100, .round = k / 4};
            TRY(record_add_sample(point, &sample));
        }
    }
    return STATUS_OK;
}

/* The same rows, ready in memory: the raw writer pays for nothing but the writing. */
struct rows {
    struct store_point *points;
    struct sample *samples;
};

static enum status make_rows(const struct run *run, struct rows *rows)
{
    rows->points = calloc(POINTS_COUNT, sizeof(*rows->points));
    rows->samples = calloc((size_t)POINTS_COUNT * SAMPLES_EACH, sizeof(*rows->samples));
    if (!rows->points || !rows->samples)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d rows", POINTS_COUNT);
    for (size_t i = 0; i < POINTS_COUNT; i++) {
        TRY(store_encode_point(&run->points[i], i * SAMPLES_EACH, &rows->points[i]));
        memcpy(rows->samples + i * SAMPLES_EACH, run->points[i].samples,
               SAMPLES_EACH * sizeof(*rows->samples));
    }
    return STATUS_OK;
}

static hid_t raw_create(hid_t file, const struct store_table *shape, hid_t type, bool checked)
{
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(layout, 1, &shape->chunk_rows);
    if (checked)
        H5Pset_fletcher32(layout);
    hid_t dataset = H5Dcreate2(file, shape->name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    H5Pclose(layout);
    H5Sclose(space);
    return dataset;
}

/* Appends the rows, one chunk at a time. */
static herr_t raw_write(hid_t file, const struct store_table *shape, hsize_t total,
                        const void *rows, bool checked)
{
    hid_t type = store_row_type(shape), dataset = raw_create(file, shape, type, checked);
    herr_t written = 0;
    for (hsize_t done = 0, count; done < total && written >= 0; done += count) {
        count = total - done < shape->chunk_rows ? total - done : shape->chunk_rows;
        hsize_t end = done + count;
        H5Dset_extent(dataset, &end);
        hid_t stored = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
        H5Sselect_hyperslab(stored, H5S_SELECT_SET, &done, NULL, &count, NULL);
        written = H5Dwrite(dataset, type, memory, stored, H5P_DEFAULT,
                           (const char *)rows + done * shape->row_bytes);
        H5Sclose(memory);
        H5Sclose(stored);
    }
    H5Dclose(dataset);
    H5Tclose(type);
    return written;
}

static enum status raw_file(const char *path, const struct rows *rows, bool checked)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    herr_t points = raw_write(file, &store_points, POINTS_COUNT, rows->points, checked);
    herr_t samples = raw_write(file, &store_samples, (hsize_t)POINTS_COUNT * SAMPLES_EACH,
                               rows->samples, checked);
    herr_t closed = H5Fclose(file);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;
    close(fd);
    if (points < 0 || samples < 0 || closed < 0 || !synced)
        return FAIL(STATUS_IO, "the raw file %s could not be written", path);
    return STATUS_OK;
}

static enum status time_store(const char *path, const struct run *run, double *seconds)
{
    double begin = clock_seconds();
    TRY(store_write(path, run));
    *seconds = clock_seconds() - begin;
    return STATUS_OK;
}

static enum status time_raw(const char *path, const struct rows *rows, bool checked,
                            double *seconds)
{
    unlink(path);
    double begin = clock_seconds();
    TRY(raw_file(path, rows, checked));
    *seconds = clock_seconds() - begin;
    return STATUS_OK;
}

static double median(double *values)
{
    quantile_sort(values, PAIRS_COUNT);
    return quantile_of_sorted(values, PAIRS_COUNT, 0.5);
}

/* Medians over the pairs: ours, raw and unchecked over raw, and the seconds of both. */
struct result {
    double ratio, control, unchecked, store_seconds, raw_seconds, read_seconds;
};

/* One round: seconds of ours, raw, raw again, raw without checksums. */
enum { OURS, RAW, RAW_AGAIN, UNCHECKED, KINDS_COUNT };

static enum status time_round(const char *ours, const char *raw, const struct run *run,
                              const struct rows *rows, double *seconds)
{
    TRY(time_store(ours, run, &seconds[OURS]));
    TRY(time_raw(raw, rows, true, &seconds[RAW]));
    TRY(time_raw(raw, rows, true, &seconds[RAW_AGAIN]));
    return time_raw(raw, rows, false, &seconds[UNCHECKED]);
}

static enum status compare(const char *folder, const struct run *run, const struct rows *rows,
                           struct result *result)
{
    char ours[4096], raw[4096];
    double seconds[KINDS_COUNT][PAIRS_COUNT], ratio[KINDS_COUNT][PAIRS_COUNT], now[KINDS_COUNT];
    snprintf(ours, sizeof(ours), "%s/bench_store.%ld.h5", folder, (long)getpid());
    snprintf(raw, sizeof(raw), "%s/bench_store.%ld.raw.h5", folder, (long)getpid());
    enum status status = time_round(ours, raw, run, rows, now); /* the first is slower */
    for (int i = 0; i < PAIRS_COUNT && status == STATUS_OK; i++) {
        status = time_round(ours, raw, run, rows, now);
        for (int kind = 0; kind < KINDS_COUNT; kind++) {
            seconds[kind][i] = now[kind];
            ratio[kind][i] = now[kind] / now[RAW];
        }
    }
    unlink(raw);
    TRY(status);
    result->ratio = median(ratio[OURS]);
    result->control = median(ratio[RAW_AGAIN]);
    result->unchecked = median(ratio[UNCHECKED]);
    result->store_seconds = median(seconds[OURS]);
    result->raw_seconds = median(seconds[RAW]);
    return STATUS_OK;
}

static enum status time_read(const char *folder, struct result *result)
{
    char path[4096];
    double seconds[PAIRS_COUNT];
    snprintf(path, sizeof(path), "%s/bench_store.%ld.h5", folder, (long)getpid());
    for (int i = 0; i < PAIRS_COUNT; i++) {
        struct run run;
        double begin = clock_seconds();
        TRY(store_read(path, &run));
        seconds[i] = clock_seconds() - begin;
        size_t count = run.points_count;
        run_clear(&run);
        if (count != POINTS_COUNT)
            return FAIL(STATUS_WRONG_ANSWER, "%zu points came back", count);
    }
    unlink(path);
    result->read_seconds = median(seconds);
    return STATUS_OK;
}

static enum status measure(const char *folder, struct run *run, struct rows *rows,
                           struct result *result)
{
    scalar_prepare_hdf5();
    TRY(make_run(run));
    TRY(make_rows(run, rows));
    TRY(compare(folder, run, rows, result));
    return time_read(folder, result);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    struct rows rows = {0};
    struct result r = {0};
    enum status status = measure(argc > 1 ? argv[1] : ".", &run, &rows, &r);
    free(rows.points);
    free(rows.samples);
    run_clear(&run);
    if (status != STATUS_OK) {
        error_print("bench_store");
        return status_exit_code(status);
    }
    printf("write %.1f ms, raw %.1f ms: ratio %.3f (goal %.1f)\n"
           "raw against raw %.3f, raw without checksums %.3f\n"
           "read %.1f ms (goal %.0f)\n",
           1e3 * r.store_seconds, 1e3 * r.raw_seconds, r.ratio, RATIO_GOAL, r.control, r.unchecked,
           1e3 * r.read_seconds, 1e3 * READ_GOAL_SECONDS);
    return r.ratio > RATIO_GOAL || r.read_seconds > READ_GOAL_SECONDS;
}
