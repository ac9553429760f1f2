#include "harness/measure/table.h"

#include "harness/base/format.h"
#include "harness/record/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64, MARKS_BYTES = 16 };

static const char *const format_names[] = {
    [OUTPUT_TABLE] = "table", [OUTPUT_JSONL] = "jsonl", [OUTPUT_CSV] = "csv"};

int output_format_parse(const char *name)
{
    for (int i = 0; i < OUTPUT_COUNT; i++)
        if (strcmp(format_names[i], name) == 0)
            return i;
    return -1;
}

static const char *cell(const struct axis *axis, int64_t value, char *buffer, size_t size)
{
    return axis->kind == AXIS_BYTES ? format_bytes((double)value, buffer, size)
                                    : axis_label(axis, value, buffer, size);
}

static const struct planned_case *find_planned(const struct plan *plan, const char *case_id)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->cases[i].case_id, case_id) == 0)
            return &plan->cases[i];
    return NULL;
}

/* Columns only for what varies; 0 marks the rest. */
static void measure_columns(struct table *table)
{
    const struct plan *plan = table->plan;
    char text[TEXT_BYTES];
    for (int a = 0; a < BENCH_MAX_AXES && plan->cases[0].bench->axes[a].name; a++) {
        const struct axis *axis = &plan->cases[0].bench->axes[a];
        int widest = (int)strlen(axis->name);
        bool varies = false;
        for (size_t i = 0; i < plan->count; i++) {
            int width = (int)strlen(cell(axis, plan->cases[i].value[a], text, sizeof(text)));
            widest = width > widest ? width : widest;
            varies |= plan->cases[i].value[a] != plan->cases[0].value[a];
        }
        table->axis_width[a] = varies ? widest : 0;
    }
    int widest = (int)strlen("kernel");
    bool varies = false;
    for (size_t i = 0; i < plan->count; i++) {
        const int width = (int)strlen(plan->cases[i].kernel->name);
        widest = width > widest ? width : widest;
        varies |= plan->cases[i].kernel != plan->cases[0].kernel;
    }
    table->kernel_width = varies ? widest : 0;
}

static void print_head(const struct table *table, const struct plan_context *context)
{
    const struct planned_case *first = &table->plan->cases[0];
    const struct device_info *info = device_info(context->device);
    char text[TEXT_BYTES];
    fprintf(table->file, "%s: %s\n%s: %s%s%s, %s kernels\n%s\n", first->bench->name,
            first->bench->question, info->name, info->model, info->pci_bus_id[0] ? ", " : "",
            info->pci_bus_id, info->isa, info->thread_reason);
    for (int a = 0; a < BENCH_MAX_AXES && first->bench->axes[a].name; a++)
        if (!table->axis_width[a])
            fprintf(table->file, "%s=%s ", first->bench->axes[a].name,
                    cell(&first->bench->axes[a], first->value[a], text, sizeof(text)));
    if (!table->kernel_width)
        fprintf(table->file, "kernel=%s ", first->kernel->name);
    fprintf(table->file, "\n\n");
    for (int a = 0; a < BENCH_MAX_AXES && first->bench->axes[a].name; a++)
        if (table->axis_width[a])
            fprintf(table->file, "%-*s ", table->axis_width[a], first->bench->axes[a].name);
    if (table->kernel_width)
        fprintf(table->file, "%-*s ", table->kernel_width, "kernel");
    fprintf(table->file, "%9s %10s %11s %6s %8s %s\n", "median", "bytes", "operations", "+-95%",
            "op/byte", "marks");
}

void table_begin(struct table *table, FILE *file, enum output_format format,
                 const struct plan *plan, const struct plan_context *context)
{
    *table = (struct table){.file = file, .format = format, .plan = plan};
    if (plan->count == 0)
        return;
    measure_columns(table);
    if (format == OUTPUT_TABLE)
        print_head(table, context);
    if (format == OUTPUT_CSV)
        fprintf(file, "case_id,bench,variant,device,dtype,params,status,samples,median_s,"
                      "half_width,bytes_per_s,operations_per_s,intensity,flags\n");
}

struct figures {
    double median_seconds, half_width, bytes_per_s, ops_per_s, intensity;
};

static struct figures figures_of(const struct record *point)
{
    struct figures f = {.median_seconds = NAN,
                        .half_width = NAN,
                        .bytes_per_s = NAN,
                        .ops_per_s = NAN,
                        .intensity = NAN};
    double half_width, median_seconds = record_median_seconds(point, &half_width);
    if (!(median_seconds > 0) || point->status != RECORD_ok)
        return f;
    f.median_seconds = median_seconds;
    f.half_width = half_width;
    f.bytes_per_s = point->bytes / median_seconds;
    f.ops_per_s = point->operations / median_seconds;
    f.intensity = point->bytes > 0 ? point->operations / point->bytes : NAN;
    return f;
}

static void print_figures(const struct table *table, const struct record *point)
{
    struct figures f = figures_of(point);
    char seconds[TEXT_BYTES], bytes[TEXT_BYTES], ops[TEXT_BYTES], marks[MARKS_BYTES], width[16];
    snprintf(width, sizeof(width), isfinite(f.half_width) ? "%.1f%%" : "-", 100 * f.half_width);
    fprintf(table->file, "%9s %10s %11s %6s %8.4g %s\n",
            format_seconds(f.median_seconds, seconds, sizeof(seconds)),
            format_si(f.bytes_per_s, "B/s", bytes, sizeof(bytes)),
            format_si(f.ops_per_s, "op/s", ops, sizeof(ops)), width, f.intensity,
            record_flags_marks(point->flags, marks, sizeof(marks)));
}

static void print_row(struct table *table, const struct record *point)
{
    const struct planned_case *planned = find_planned(table->plan, point->case_id);
    char text[TEXT_BYTES];
    table->flags_seen |= point->flags;
    for (int a = 0; planned && a < BENCH_MAX_AXES && planned->bench->axes[a].name; a++)
        if (table->axis_width[a])
            fprintf(table->file, "%-*s ", table->axis_width[a],
                    cell(&planned->bench->axes[a], planned->value[a], text, sizeof(text)));
    if (table->kernel_width)
        fprintf(table->file, "%-*s ", table->kernel_width, point->variant);
    if (point->samples_count && point->status == RECORD_ok)
        print_figures(table, point);
    else
        fprintf(table->file, "%s %s\n",
                point->status == RECORD_ok ? "checked" : record_status_name(point->status),
                point->reason);
}

/* CSV doubles quotes inside quotes (RFC 4180). */
static void print_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void print_csv(const struct table *table, const struct record *point)
{
    struct figures f = figures_of(point);
    char flags[256];
    fprintf(table->file, "%s,%s,%s,%s,%s,", point->case_id, point->bench, point->variant,
            point->device, point->dtype);
    print_quoted(table->file, point->params);
    fprintf(table->file, ",%s,%zu,%.9g,%.4g,%.6g,%.6g,%.6g,", record_status_name(point->status),
            point->samples_count, f.median_seconds, f.half_width, f.bytes_per_s, f.ops_per_s,
            f.intensity);
    print_quoted(table->file, record_flags_join(point->flags, flags, sizeof(flags)));
    fputc('\n', table->file);
}

void table_row(struct table *table, const struct record *point)
{
    char *line;
    if (table->format == OUTPUT_TABLE)
        print_row(table, point);
    else if (table->format == OUTPUT_CSV)
        print_csv(table, point);
    else if (record_to_json(point, &line) == STATUS_OK) {
        fprintf(table->file, "%s\n", line);
        free(line);
    }
    fflush(table->file);
}

void table_end(const struct table *table)
{
    if (table->format != OUTPUT_TABLE || !table->flags_seen)
        return;
    fprintf(table->file, "\n");
    for (int i = 0; i < FLAG_COUNT; i++)
        if (table->flags_seen & (1u << i))
            fprintf(table->file, "%c  %s: %s\n", record_flag_mark((enum record_flag_bit)i),
                    record_flag_name((enum record_flag_bit)i),
                    record_flag_text((enum record_flag_bit)i));
}
