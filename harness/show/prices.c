/* ridge show FILE prices: the compute ledger. What an operation of each type costs on each device,
 * with what it is summed in and by which method that was read: products by cuBLASLt and chains of
 * multiply-adds are prices; what mma.sync delivers belongs to the teaching ladder. */
#include "harness/base/format.h"
#include "harness/show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct grid_column columns[] = {
    {"device", "device", false, true},
    {"threads", "threads", true, true},
    {"dtype", "type", false, false},
    {"accumulator", "summed in", false, false},
    {"sparsity", "operands", false, false},
    {"method", "by", false, false},
    {"ops_per_s", "typical", true, false},
    {"half_width", "+-95%", true, false},
    {"low", "low", true, true},
    {"high", "high", true, true},
    {"of_f32", "x f32", true, false},
    {"is_price", "price", false, true},
    {"reason", "reason", false, true},
    {"flags", "flags", false, true},
    {"marks", "", false, false},
};

/* In the order in which they are printed: wide to narrow; others behind, as they come. */
static const char *const types[] = {"f64",  "f32",    "tf32", "f16",  "f16_sums", "f16x2",
                                    "bf16", "bf16x2", "e4m3", "e5m2", "int8",     "int32"};

static int rank_of(const char *dtype)
{
    int rank = 0;
    while (rank < (int)(sizeof(types) / sizeof(types[0])) && strcmp(types[rank], dtype) != 0)
        rank++;
    return rank;
}

static const char *method_of(const struct ceiling *c)
{
    return strcmp(c->mix, "cublaslt") == 0   ? "cuBLASLt, best of sizes"
           : strcmp(c->mix, "mma.sync") == 0 ? "mma.sync throughput"
                                             : "chains of multiply-adds";
}

static bool has_cublaslt(const struct run *run, const struct ceiling *of)
{
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->mix, "cublaslt") == 0 && strcmp(c->reading, of->reading) == 0 &&
            strcmp(c->device, of->device) == 0 && strcmp(c->dtype, of->dtype) == 0)
            return true;
    }
    return false;
}

/* cuBLASLt's where it multiplies the type, else the plain cores'. */
static bool is_price(const struct run *run, const struct ceiling *c)
{
    return strcmp(c->mix, "cublaslt") == 0 || (strcmp(c->mix, "fma") == 0 && !has_cublaslt(run, c));
}

static const char *accumulator_of(const struct run *run, const struct ceiling *c)
{
    for (size_t i = 0; i < run->points_count; i++) {
        const struct record *p = &run->points[i];
        if (strcmp(p->device, c->device) == 0 && strcmp(p->dtype, c->dtype) == 0 &&
            p->accumulator[0])
            return p->accumulator;
    }
    return c->dtype;
}

/* ---- Which rows: those of the whole device, unless threads are asked for. */

static int most_threads(const struct run *run, const char *device)
{
    int most = 0;
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->kind, "compute") == 0 && strcmp(c->device, device) == 0 && c->threads > most)
            most = c->threads;
    }
    return most;
}

static bool is_shown(const struct run *run, const struct ceiling *c,
                     const struct show_options *options, const char *device)
{
    const bool is_gpu = record_device_is_gpu(c->device); /* which has no threads to ask for */
    const int threads =
        options->threads && !is_gpu ? options->threads : most_threads(run, c->device);
    return strcmp(c->kind, "compute") == 0 && strcmp(c->reading, "typical") == 0 && c->value > 0 &&
           c->threads == threads && show_device_fits(options, device, c->device) &&
           (!options->dtype || strcmp(options->dtype, c->dtype) == 0);
}

static int compare(const void *a, const void *b)
{
    const struct ceiling *x = *(const struct ceiling *const *)a,
                         *y = *(const struct ceiling *const *)b;
    const int device = strcmp(x->device, y->device), mix = strcmp(x->mix, y->mix);
    const int rank = rank_of(x->dtype) - rank_of(y->dtype);
    const int name = strcmp(x->dtype, y->dtype);
    return device ? device : rank ? rank : name ? name : mix;
}

/* ---- The table. */

static enum status add_price(struct grid *grid, const struct run *run, const struct ceiling *c)
{
    char pretty[32], joined[256], marks[16];
    const double half = ceilings_half_width(c);
    const struct ceiling *f32 =
        ceilings_product(run, (struct part){c->device, "f32", (int)c->threads});
    const double of_f32 = f32 ? c->value / f32->value : (double)NAN;
    TRY(grid_text(grid, c->device));
    TRY(grid_number(grid, c->threads, NULL));
    TRY(grid_text(grid, c->dtype));
    TRY(grid_text(grid, accumulator_of(run, c)));
    TRY(grid_text(grid, "dense"));
    TRY(grid_text(grid, method_of(c)));
    TRY(grid_number(grid, c->value,
                    format_measured(c->value, half, c->unit, pretty, sizeof(pretty))));
    snprintf(pretty, sizeof(pretty), half > 1 ? ">100%%" : "%.1f%%", 100 * half);
    TRY(grid_number(grid, half, pretty));
    TRY(grid_number(grid, c->low > 0 ? c->low : (double)NAN, NULL));
    TRY(grid_number(grid, c->high > 0 ? c->high : (double)NAN, NULL));
    snprintf(pretty, sizeof(pretty), of_f32 < 9.95 ? "%.2f" : "%.1f", of_f32);
    TRY(grid_number(grid, of_f32, f32 ? pretty : "-"));
    TRY(grid_text(grid, is_price(run, c) ? "yes" : ""));
    TRY(grid_text(grid, c->reason));
    TRY(grid_text(grid, record_flags_join(c->flags, joined, sizeof(joined))));
    return grid_text(grid, record_flags_marks(c->flags, marks, sizeof(marks)));
}

/* Which product was the fastest, and what the rows are not. */
static void print_notes(const struct ceiling *const *rows, size_t count, FILE *file)
{
    bool has_products = false, has_chains = false;
    for (size_t i = 0; i < count; i++) {
        has_products |= strcmp(rows[i]->mix, "cublaslt") == 0;
        has_chains |= strcmp(rows[i]->mix, "mma.sync") == 0;
    }
    if (has_products || has_chains)
        fputs("\n- the price: cuBLASLt's where it multiplies the type, else the plain cores'\n",
              file);
    for (size_t i = 0; i < count; i++) {
        char line[320];
        snprintf(line, sizeof(line), "- %s by cuBLASLt: %s", rows[i]->dtype, rows[i]->reason);
        if (strcmp(rows[i]->mix, "cublaslt") == 0)
            show_wrapped(line, file);
    }
    if (has_chains)
        show_wrapped("- mma.sync throughput: what that one instruction delivers, no peak: from "
                     "compute capability 9.0 on the full rate of the units needs others, which "
                     "cuBLASLt uses",
                     file);
}

static enum status print_table(const struct run *run, const struct show_options *options,
                               const char *device, uint32_t *flags, FILE *file)
{
    struct grid grid;
    size_t count = 0;
    enum status status = STATUS_OK;
    const struct ceiling **rows = calloc(run->ceilings_count + 1, sizeof(const struct ceiling *));
    if (!rows)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu prices", run->ceilings_count);
    for (size_t i = 0; i < run->ceilings_count; i++)
        if (is_shown(run, &run->ceilings[i], options, device))
            rows[count++] = &run->ceilings[i];
    qsort(rows, count, sizeof(const struct ceiling *), compare);
    grid_begin(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        *flags |= rows[i]->flags;
        status = add_price(&grid, run, rows[i]);
    }
    const bool is_for_people = options->format == GRID_TEXT || options->format == GRID_MARKDOWN;
    if (count == 0 && is_for_people)
        fputs("no compute ceiling is determined\n", file);
    else if (status == STATUS_OK)
        status = grid_print(&grid, options->format, file);
    grid_clear(&grid);
    if (is_for_people)
        print_notes(rows, count, file);
    free(rows);
    return status;
}

static bool has_any(const struct run *run, const struct show_options *options)
{
    for (size_t i = 0; i < run->ceilings_count; i++)
        if (is_shown(run, &run->ceilings[i], options, NULL))
            return true;
    return false;
}

enum status show_prices(const struct run *run, const struct show_options *options, FILE *file)
{
    uint32_t flags = 0;
    if (!has_any(run, options))
        return FAIL(STATUS_BAD_ARGUMENT,
                    "no compute ceiling%s%s is determined in this run: it needs points of "
                    "bench_intensity at high intensity, or, of a GPU, of bench_gemm by cublaslt",
                    options->dtype ? " for " : "", options->dtype ? options->dtype : "");
    show_machine(run, options, file);
    TRY(show_by_device(run, options, print_table, &flags, file));
    show_flags(flags, options, file);
    return STATUS_OK;
}
