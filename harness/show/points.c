/* ridge show FILE points: one row per case. */
#include "harness/base/format.h"
#include "harness/model/attain.h"
#include "harness/model/params.h"
#include "harness/model/place.h"
#include "harness/show/show.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const struct grid_column columns[] = {
    {"case_id", "case", false, true},
    {"bench", "bench", false, true},
    {"what", "bench and parameters", false, false},
    {"variant", "kernel", false, true},
    {"device", "device", false, true},
    {"params", "params", false, true},
    {"level", "level", false, true},
    {"status", "status", false, true},
    {"reason", "reason", false, true},
    {"samples", "n", true, true},
    {"rounds", "rounds", true, true},
    {"median_s", "median", true, true},
    {"median_low_s", "low", true, true},
    {"median_high_s", "high", true, true},
    {"half_width", "+-95%", true, false},
    {"fast_s", "25 %", true, true},
    {"min_s", "min", true, true},
    {"q3_s", "75 %", true, true},
    {"steadiness", "steady", true, true},
    {"bytes_per_s", "bytes", true, false},
    {"bus_bytes_per_s", "bus", true, true},
    {"ops_per_s", "operations", true, false},
    {"intensity", "op/B", true, true},
    {"attainable", "attainable", true, true},
    {"share", "share", true, false},
    {"bound", "bound", false, false},
    {"of_read_roof", "of read roof", false, true},
    {"share_of_roof", "of compute roof", true, true},
    {"share_of_peer", "of best peer", true, true},
    {"implementation", "implementation", false, true},
    {"flags", "flags", false, true},
    {"marks", "", false, false},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

/* Byte counts are powers of two mostly: 64Ki reads better than 65536. */
static void append_value(const char *key, const json_t *value, char *text, size_t size)
{
    size_t used = strlen(text);
    json_int_t number = json_integer_value(value);
    bool is_size = strstr(key, "bytes") && number >= 1024;
    int shift = is_size && number % (1 << 30) == 0   ? 30
                : is_size && number % (1 << 20) == 0 ? 20
                : is_size && number % (1 << 10) == 0 ? 10
                                                     : 0;
    static const char *const suffixes[] = {"", "Ki", "Mi", "Gi"};
    if (strcmp(key, "store") == 0) /* plain goes without saying */
        snprintf(text + used, size - used, "%s",
                 strcmp(json_string_value(value), "nontemporal") == 0 ? " nt" : "");
    else if (json_is_string(value))
        snprintf(text + used, size - used, " %s", json_string_value(value));
    else if (strcmp(key, "threads") == 0)
        snprintf(text + used, size - used, " %lldt", (long long)number);
    else if (strcmp(key, "fmas") == 0)
        snprintf(text + used, size - used, " m=%lld", (long long)number);
    else
        snprintf(text + used, size - used, " %lld%s", (long long)(number >> shift),
                 suffixes[shift / 10]);
}

/* "1024^3" for a cube. */
static void append_shape(const char *shape, char *text, size_t size)
{
    long long m, n, k;
    const size_t used = strlen(text);
    if (sscanf(shape, "%lldx%lldx%lld", &m, &n, &k) == 3 && m == n && n == k)
        snprintf(text + used, size - used, " %lld^3", m);
    else
        snprintf(text + used, size - used, " %s", shape);
}

/* "vector_add add f32 nt 64Ki 2t": nt for non-temporal stores; a star marks a control; "bf16->f32"
 * is what dot instructions multiply and what they sum in. A rung that is not the usual one of the
 * streams is named: "gemm packed f32 1024^3 2t". */
static const char *describe(const struct record *point, char *text, size_t size)
{
    const char *name = point->bench;
    const char *key;
    json_t *value, *params = json_loads(point->params, 0, NULL);
    const bool is_usual = strcmp(point->variant, "vector") == 0;
    const bool is_gpu = record_device_is_gpu(point->device);
    snprintf(text, size, "%s%s%s", strncmp(name, "bench_", 6) == 0 ? name + 6 : name,
             is_usual ? "" : " ", is_usual ? "" : point->variant);
    json_object_foreach(params, key, value)
    {
        const size_t used = strlen(text);
        const bool is_dtype = strcmp(key, "dtype") == 0;
        if (strcmp(key, "beside") == 0)
            snprintf(text + used, size - used, " *");
        else if (strcmp(key, "shape") == 0 && json_is_string(value))
            append_shape(json_string_value(value), text, size);
        else if (strcmp(key, "batch") == 0 && json_integer_value(value) == 1)
            continue;
        else if (strcmp(key, "threads") == 0 && is_gpu)
            continue; /* its title names the device */
        else if (is_dtype && strcmp(point->dtype, point->accumulator) != 0)
            snprintf(text + used, size - used, " %s->%s", point->dtype, point->accumulator);
        else
            append_value(key, value, text, size);
    }
    json_decref(params);
    return text;
}

static double rate(double amount, const struct summary *s)
{
    return s->typical.value > 0 && amount > 0 ? amount / s->typical.value : (double)NAN;
}

static double given(double seconds)
{
    return seconds > 0 ? seconds : (double)NAN;
}

static enum status add_identity(struct grid *grid, const struct reading *reading)
{
    const struct record *point = reading->point;
    char what[256];
    TRY(grid_text(grid, point->case_id));
    TRY(grid_text(grid, point->bench));
    TRY(grid_text(grid, describe(point, what, sizeof(what))));
    TRY(grid_text(grid, point->variant));
    TRY(grid_text(grid, point->device));
    TRY(grid_text(grid, point->params));
    TRY(grid_text(grid, reading->level));
    TRY(grid_text(grid, record_status_name(point->status)));
    return grid_text(grid, point->reason);
}

static enum status add_times(struct grid *grid, const struct summary *s)
{
    char pretty[32], width[16];
    double half = summary_half_width(s);
    snprintf(width, sizeof(width), half > 1 ? ">100%%" : "%.1f%%", 100 * half);
    TRY(grid_number(grid, (double)s->samples, NULL));
    TRY(grid_number(grid, (double)s->rounds, NULL));
    TRY(grid_number(grid, given(s->typical.value),
                    format_measured(s->typical.value, half, "s", pretty, sizeof(pretty))));
    TRY(grid_number(grid, given(s->typical.low), NULL));
    TRY(grid_number(grid, given(s->typical.high), NULL));
    TRY(grid_number(grid, half, width));
    TRY(grid_number(grid, given(s->capable.value), NULL));
    TRY(grid_number(grid, given(s->min_seconds), NULL));
    TRY(grid_number(grid, given(s->q3_seconds), NULL));
    TRY(grid_number(grid, given(s->steadiness), NULL));
    return STATUS_OK;
}

static enum status add_rates(struct grid *grid, const struct record *point, const struct summary *s)
{
    char pretty[32];
    double bytes = rate(point->bytes, s), ops = rate(point->operations, s);
    double half = summary_half_width(s);
    TRY(grid_number(grid, bytes, format_measured(bytes, half, "B/s", pretty, sizeof(pretty))));
    TRY(grid_number(grid, rate(point->bus_bytes, s), NULL));
    TRY(grid_number(grid, ops, format_measured(ops, half, "op/s", pretty, sizeof(pretty))));
    snprintf(pretty, sizeof(pretty), "%.4g", point->operations / point->bytes);
    return grid_number(grid, point->bytes > 0 ? point->operations / point->bytes : (double)NAN,
                       pretty);
}

static enum status add_attainment(struct grid *grid, const struct run *run,
                                  const struct reading *reading)
{
    char pretty[32], flags[256], marks[80];
    struct attainment a = {.bound = ""};
    const struct record *point = reading->point;
    if (reading->summary.typical.value > 0)
        attain(run, reading, &a);
    snprintf(pretty, sizeof(pretty), "%.0f%%%s%s", 100 * a.share, a.of_read_roof ? "r" : "",
             a.is_above ? "!" : "");
    TRY(grid_number(grid, given(a.attainable), NULL));
    TRY(grid_number(grid, given(a.share), pretty));
    TRY(grid_text(grid, a.bound));
    TRY(grid_text(grid, a.of_read_roof ? "yes" : ""));
    TRY(grid_number(grid, given(point->share_of_roof), NULL));
    TRY(grid_number(grid, given(point->share_of_peer), NULL));
    TRY(grid_text(grid, point->implementation));
    TRY(grid_text(grid, record_flags_join(point->flags, flags, sizeof(flags))));
    if (point->status == RECORD_ok)
        record_flags_marks(point->flags, marks, sizeof(marks));
    else
        snprintf(marks, sizeof(marks), "%s", record_status_name(point->status));
    return grid_text(grid, marks);
}

static enum status add_point(struct grid *grid, const struct run *run, const struct record *point,
                             const struct level_map *map)
{
    struct reading reading;
    TRY(reading_of(point, map, &reading));
    TRY(add_identity(grid, &reading));
    TRY(add_times(grid, &reading.summary));
    TRY(add_rates(grid, point, &reading.summary));
    return add_attainment(grid, run, &reading);
}

static void print_reasons(const struct run *run, const struct show_options *options,
                          const char *device, FILE *file)
{
    char what[256];
    if (options->format != GRID_TEXT && options->format != GRID_MARKDOWN)
        return;
    for (size_t i = 0; i < run->points_count; i++)
        if (run->points[i].status != RECORD_ok &&
            show_device_fits(options, device, run->points[i].device))
            fprintf(file, "%s: %s: %s\n", describe(&run->points[i], what, sizeof(what)),
                    record_status_name(run->points[i].status), run->points[i].reason);
}

static void print_controls_note(const struct run *run, const struct show_options *options,
                                FILE *file)
{
    for (size_t i = 0; i < run->points_count; i++)
        if (options->format == GRID_TEXT && params_is_control(&run->points[i])) {
            fprintf(file,
                    "\n*  control: the same case beside each bench shows the machine's drift\n"
                    "share: of what the roofs allow; r: compared with the read roof; !: above its "
                    "roof,\n"
                    "  which was measured while this machine was slower, and is none for it\n");
            return;
        }
}

static enum status print_table(const struct run *run, const struct show_options *options,
                               const char *device, uint32_t *flags, FILE *file)
{
    struct grid grid;
    struct level_map map;
    enum status status = STATUS_OK;
    level_map_of(run, &map);
    grid_begin(&grid, columns, COLUMNS);
    for (size_t i = 0; status == STATUS_OK && i < run->points_count; i++) {
        if (!show_device_fits(options, device, run->points[i].device))
            continue;
        *flags |= run->points[i].flags;
        status = add_point(&grid, run, &run->points[i], &map);
    }
    if (status == STATUS_OK)
        status = grid_print(&grid, options->format, file);
    grid_clear(&grid);
    print_reasons(run, options, device, file);
    return status;
}

enum status show_points(const struct run *run, const struct show_options *options, FILE *file)
{
    uint32_t flags = 0;
    show_machine(run, options, file);
    TRY(show_by_device(run, options, print_table, &flags, file));
    print_controls_note(run, options, file);
    show_flags(flags, options, file);
    return STATUS_OK;
}
