#include "harness/measure/explain.h"

#include "harness/base/fold.h"
#include "harness/base/format.h"
#include "harness/record/median.h"
#include "kernels/blas/blas_advice.h"
#include "kernels/isa/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 32, UNITS = 2, OPS_PER_FMA = 2 };
static const double CLOSE = 0.85, FAR = 0.5;

struct prediction {
    const struct roof_row *compute, *bandwidth;
    char level[16], mix[32];
    bool of_read_roof;
    struct kernel_traffic traffic;          /* what is moved, and where it lies */
    double intensity, ridge;                /* op/byte */
    double ops_per_s, bytes_per_s, seconds; /* at the lower roof; seconds 0: none */
    bool by_memory;
};

static const char *label_of(const struct planned_case *planned, const char *name)
{
    for (int i = 0; i < BENCH_MAX_AXES && planned->bench->axes[i].name; i++)
        if (strcmp(planned->bench->axes[i].name, name) == 0 && planned->bench->axes[i].choices)
            return planned->bench->axes[i].choices[planned->value[i]];
    return "";
}

/* As the model names access mixes: "read ladder", "read", "copy plain". */
static void name_mix(const struct planned_case *planned, char *mix, size_t size)
{
    const char *op = label_of(planned, "op");
    if (op[0] && strcmp(op, "read") != 0)
        snprintf(mix, size, "%s %s", op, label_of(planned, "store"));
    else
        snprintf(mix, size, "%s", op[0] ? op : "read ladder");
}

static bool is_product(const struct planned_case *planned)
{
    return planned->bench->family == FAMILY_GEMM || planned->bench->family == FAMILY_TENSOR;
}

static const struct roof_row *find_mix(const struct roof_book *book, const struct record *point,
                                       const char *dtype, struct prediction *p)
{
    const char *const others[] = {p->mix, "read ladder", "read"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const struct roof_row *row =
            roof_book_bandwidth(book, p->level, others[i], point->device, dtype, point->threads);
        if (row) {
            p->of_read_roof = strncmp(p->mix, "read", 4) != 0 && i > 0;
            return row;
        }
    }
    return NULL;
}

/* Products of types that no ladder reads: a byte is a byte. */
static const struct roof_row *find_bandwidth(const struct roof_book *book,
                                             const struct planned_case *planned,
                                             const struct record *point, struct prediction *p)
{
    const char *const dtypes[] = {point->dtype, "f32", "f64"};
    const struct roof_row *row = NULL;
    for (int i = 0; !row && i < (is_product(planned) ? 3 : 1); i++)
        row = find_mix(book, point, dtypes[i], p);
    return row;
}

/* What a kernel moves from the level that bounds it; by default the counted bytes, from the level
 * that holds the working set. */
static struct kernel_traffic traffic_of(const struct planned_case *planned,
                                        const struct record *point)
{
    struct kernel_traffic traffic = {.bytes = point->bytes, .set_bytes = point->working_set_bytes};
    struct bench_case c = {.kernel = planned->kernel};
    if (!planned->bench->traffic || plan_state(planned, &c.state) != STATUS_OK)
        return traffic;
    struct kernel_traffic own;
    if (planned->bench->traffic(&c, &own))
        traffic = own;
    free(c.state);
    return traffic;
}

/* Products have a roof of their own where there are matrix units. */
static const struct roof_row *compute_roof(const struct roof_book *book,
                                           const struct planned_case *planned,
                                           const struct record *point)
{
    return is_product(planned)
               ? roof_book_product(book, point->device, point->dtype, point->threads)
               : roof_book_compute(book, point->device, point->dtype, point->threads);
}

static void predict(const struct roof_book *book, const struct planned_case *planned,
                    const struct device_info *info, const struct record *point,
                    struct prediction *p)
{
    const char *level = label_of(planned, "level");
    *p = (struct prediction){.traffic = traffic_of(planned, point)};
    p->intensity = point->operations / p->traffic.bytes;
    snprintf(p->level, sizeof(p->level), "%s",
             level[0] ? level : levels_place(&info->levels, p->traffic.set_bytes, point->threads));
    name_mix(planned, p->mix, sizeof(p->mix));
    p->compute = compute_roof(book, planned, point);
    p->bandwidth = p->level[0] ? find_bandwidth(book, planned, point, p) : NULL;
    if (!p->bandwidth)
        return;
    double by_memory = p->traffic.bytes / p->bandwidth->value;
    double by_compute = p->compute ? point->operations / p->compute->value : 0;
    p->by_memory = by_memory >= by_compute;
    p->seconds = fmax(by_memory, by_compute);
    p->ops_per_s = point->operations / p->seconds;
    p->bytes_per_s = p->traffic.bytes / p->seconds;
    p->ridge = p->compute ? p->compute->value / p->bandwidth->value : 0;
}

/* The main result of a case: operations where it has any, else bytes. */
static const char *rate_text(const struct record *point, double seconds, char *text)
{
    return point->operations > 0 ? format_si(point->operations / seconds, "op/s", text, TEXT_BYTES)
                                 : format_si(point->bytes / seconds, "B/s", text, TEXT_BYTES);
}

static void print_prediction(FILE *file, const struct roof_book *book, const struct record *point,
                             const struct prediction *p)
{
    char size[TEXT_BYTES], seconds[TEXT_BYTES], rate[TEXT_BYTES], roof[TEXT_BYTES];
    const struct roof_row *decides = p->by_memory ? p->bandwidth : p->compute;
    fprintf(file, "  predicted  %s lie in %s; %.4g op/byte",
            format_bytes(p->traffic.set_bytes, size, sizeof(size)), p->level, p->intensity);
    if (p->ridge > 0)
        fprintf(file, ", %s of the ridge at %.3g", p->intensity < p->ridge ? "left" : "right",
                p->ridge);
    fprintf(file, ":\n             %s decides (%s%s), so %s, %s per run\n",
            p->by_memory ? p->level : "compute",
            format_si(decides->value, decides->unit, roof, sizeof(roof)),
            p->by_memory && p->of_read_roof ? ", of the read roof" : "",
            rate_text(point, p->seconds, rate), format_seconds(p->seconds, seconds, TEXT_BYTES));
    if (p->traffic.what)
        fprintf(file, "             (moved: %s)\n", p->traffic.what);
    fprintf(file, "             from %s, measured %s\n", book->path, decides->created);
}

/* Without a roof: what the registers and the clock would allow, if there are two FMA units. */
static void print_without_roof(FILE *file, const struct planned_case *planned,
                               const struct record *point)
{
    char rate[TEXT_BYTES], clock[TEXT_BYTES];
    int isa;
    double size = (double)element_bytes((enum element)plan_axis(planned, "dtype", 0));
    double clock_hz = point->samples_count ? point->samples[0].clock_hz : 0;
    if (isa_choose(point->isa, &isa) != STATUS_OK || !(clock_hz > 0))
        return;
    double peak =
        point->threads * clock_hz * isa_table[isa].vector_bytes / size * UNITS * OPS_PER_FMA;
    fprintf(file,
            "  predicted  no roof of this host for it yet: 'ridge run', then 'ridge fit FILE'.\n"
            "             At most %s, if each core has two FMA units of %d bytes at %s;\n"
            "             nothing is known of its memory\n",
            format_si(peak, "op/s", rate, sizeof(rate)), isa_table[isa].vector_bytes,
            format_si(clock_hz, "Hz", clock, sizeof(clock)));
}

static void print_why(FILE *file, const struct record *point, const struct prediction *p,
                      double seconds)
{
    double share = p->seconds / seconds;
    const char *bound = p->by_memory ? p->level : "compute";
    if (share > 1 / CLOSE)
        fprintf(file,
                "  why        it is faster than its roof: the roof was measured when this\n"
                "             machine was slower, or part of the data lay in a nearer cache\n");
    else if (share >= CLOSE)
        fprintf(file, "  why        it is bound by %s: only %s would make it faster\n", bound,
                p->by_memory ? "moving fewer bytes" : "fewer operations");
    else if (share >= FAR)
        fprintf(
            file, "  why        mostly bound by %s%s\n", bound,
            p->ridge > 0 && p->intensity > p->ridge / 4 && p->intensity < p->ridge * 4
                ? "; so near the ridge both roofs press"
                : ";\n             the rest is lost elsewhere: loop ends, page walks, neighbours");
    else
        fprintf(file,
                "  why        bound by neither roof: latency, a short loop, or an interrupted\n"
                "             machine%s\n",
                point->flags & FLAG_foreign_load ? " (others were running)" : "");
}

static void print_folded(FILE *file, const char *label, const char *text)
{
    enum { INDENT = 13 };
    fold_print(file, text, fprintf(file, "  %-11s", label), INDENT);
}

/* What holds a rung of ours back, or what is wrong with a slow library. */
static void print_next(FILE *file, const struct planned_case *planned, const struct record *point,
                       const struct prediction *p, double seconds)
{
    char advice[256];
    const double roof = p->compute && !p->by_memory ? p->compute->value : 0;
    if (planned->kernel->limit)
        print_folded(file, "next", planned->kernel->limit);
    if (planned->kernel->is_peer && roof > 0 &&
        blas_advice(point->implementation, point->isa, point->operations / seconds / roof, advice,
                    sizeof(advice)))
        print_folded(file, "warning", advice);
}

void explain(FILE *file, const struct roof_book *book, const struct planned_case *planned,
             const struct device_info *info, const struct record *point)
{
    struct prediction p;
    char seconds_text[TEXT_BYTES], rate[TEXT_BYTES];
    double half_width, seconds = record_median_seconds(point, &half_width);
    fprintf(file, "%s %s %s\n", point->bench, point->variant, point->params);
    if (planned->kernel->limit || planned->kernel->is_peer) {
        print_folded(file, "idea", planned->kernel->idea);
        if (point->implementation[0])
            fprintf(file, "             (%s)\n", point->implementation);
    }
    if (point->status != RECORD_ok || !(seconds > 0)) {
        fprintf(file, "  %s %s\n", record_status_name(point->status), point->reason);
        return;
    }
    predict(book, planned, info, point, &p);
    if (p.seconds > 0)
        print_prediction(file, book, point, &p);
    else if (!p.level[0])
        fprintf(file, "  predicted  %s lie between two levels, so no roof says what to expect\n",
                format_bytes(point->working_set_bytes, rate, sizeof(rate)));
    else
        print_without_roof(file, planned, point);
    fprintf(file, "  measured   %s, %s +-%.1f%%", rate_text(point, seconds, rate),
            format_seconds(seconds, seconds_text, TEXT_BYTES), 100 * half_width);
    if (p.seconds > 0)
        fprintf(file, ": %.0f %% of the prediction", 100 * p.seconds / seconds);
    fputc('\n', file);
    if (p.seconds > 0)
        print_why(file, point, &p, seconds);
    print_next(file, planned, point, &p, seconds);
}
