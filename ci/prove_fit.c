/* What the fit of a ladder is worth: ladders with known answers, and a table of how far off it is
 * and how often its intervals hold the truth. tests/unit/synthetic_ladder.h says what a ladder is
 * made of and what its truth is.
 *
 *     prove_fit [LADDERS]    per cell, by default 300; exit 1 if a requirement is missed
 *
 * Required, of typical: median error of Pmax and B at most 1 %, 90th percentile 3 %, coverage of
 * 95 % intervals 92 .. 98 % overall and 90 % or more in each cell; of capable: coverage 88 % or
 * more. Well-posed ladders are not determined in at most 5 % of cases, ill-posed ones always. */
#include "harness/base/clock.h"
#include "harness/base/quantile.h"
#include "tests/unit/synthetic_ladder.h"

#include <stdio.h>
#include <stdlib.h>

static const double MOST_MEDIAN = 0.01, MOST_TAIL = 0.03, LEAST_COVERAGE = 0.9;
static const double LEAST_OVERALL = 0.92, MOST_OVERALL = 0.98, LEAST_CAPABLE = 0.88;
static const double MOST_UNDETERMINED = 0.05;
enum { LADDERS = 300, TIMED = 21 };

/* Counts of one kind of value. */
struct score {
    size_t held, given, undetermined;
};

struct scores {
    struct score peak, bandwidth, sharpness, plateau, capable_peak, capable_bandwidth;
    double *errors; /* relative, of Pmax and B, typical */
    size_t errors_count;
};

static double coverage(struct score score)
{
    return score.given ? (double)score.held / (double)score.given : 1;
}

static void count(struct score *score, const struct roof_value *value, double truth)
{
    score->given += value->status != ROOF_NOT_DETERMINED;
    score->undetermined += value->status == ROOF_NOT_DETERMINED;
    score->held +=
        value->status != ROOF_NOT_DETERMINED && value->low <= truth && truth <= value->high;
}

static void add_error(struct scores *scores, const struct roof_value *value, double truth)
{
    if (value->status != ROOF_NOT_DETERMINED)
        scores->errors[scores->errors_count++] = fabs(value->value / truth - 1);
}

/* The mean of the log rates, without noise, of the points that the fit's plateau is made of. */
static double plateau_truth(const struct synthetic *made, const struct roof_reading *reading,
                            int level)
{
    double sum = 0;
    size_t found = 0;
    for (size_t p = 0; p < made->ladder.points_count; p++) {
        int own = made->points[p].level;
        double intensity = made->points[p].intensity, slope = made->bandwidth[own] * intensity;
        double beyond = intensity * reading->levels[own].bandwidth.asymptote.value /
                        reading->compute.asymptote.value;
        bool belongs = level < 0 ? beyond >= 8 : own == level && beyond <= 1.0 / 8;
        if (!belongs || reading->points[p].excluded != ROOF_KEPT)
            continue;
        sum += log(synthetic_model(made->peak, slope, made->sharpness[own])) -
               (level < 0 ? 0 : log(intensity));
        found++;
    }
    return exp(sum / (double)found);
}

static void score_typical(const struct setting *setting, const struct synthetic *made,
                          const struct roof_reading *reading, struct scores *scores)
{
    double slow = synthetic_quantile(setting, 0.5);
    count(&scores->peak, &reading->compute.asymptote, made->peak / slow);
    add_error(scores, &reading->compute.asymptote, made->peak / slow);
    if (reading->compute.plateau_points)
        count(&scores->plateau, &reading->compute.plateau, plateau_truth(made, reading, -1) / slow);
    for (int l = 0; l < setting->levels; l++) {
        const struct roof_level *level = &reading->levels[l];
        const struct roof_ceiling *bandwidth = &level->bandwidth;
        count(&scores->bandwidth, &bandwidth->asymptote, made->bandwidth[l] / slow);
        add_error(scores, &bandwidth->asymptote, made->bandwidth[l] / slow);
        count(&scores->sharpness, &level->sharpness, made->sharpness[l]);
        if (bandwidth->plateau_points)
            count(&scores->plateau, &bandwidth->plateau, plateau_truth(made, reading, l) / slow);
    }
}

static void score_ladder(const struct setting *setting, uint64_t seed, struct synthetic *made,
                         struct scores *scores)
{
    struct roof roof;
    synthetic_make(setting, seed, made);
    if (fit_ladder(&made->ladder, &roof) != STATUS_OK) {
        error_print("prove_fit");
        exit(1);
    }
    score_typical(setting, made, &roof.typical, scores);
    double fast = synthetic_quantile(setting, 0.25);
    if (roof.capable.given) {
        count(&scores->capable_peak, &roof.capable.compute.asymptote, made->peak / fast);
        for (int l = 0; l < setting->levels; l++)
            count(&scores->capable_bandwidth, &roof.capable.levels[l].bandwidth.asymptote,
                  made->bandwidth[l] / fast);
    }
    roof_clear(&roof);
}

static struct scores score_cell(const struct setting *setting, int ladders, uint64_t seed)
{
    struct scores scores = {.errors = calloc((size_t)ladders * 8, sizeof(double))};
    struct synthetic *made = malloc(sizeof(*made));
    if (!made || !scores.errors)
        exit(1);
    for (int i = 0; i < ladders; i++)
        score_ladder(setting, random_next(&seed), made, &scores);
    quantile_sort(scores.errors, scores.errors_count);
    free(made);
    return scores;
}

static double error_quantile(const struct scores *scores, double fraction)
{
    return scores->errors_count ? quantile_of_sorted(scores->errors, scores->errors_count, fraction)
                                : 0;
}

static bool print_cell(const struct setting *s, const struct scores *scores)
{
    static const char *const outliers[] = {"none", "samples", "points"};
    double median = error_quantile(scores, 0.5), tail = error_quantile(scores, 0.9);
    double peak = coverage(scores->peak), bandwidth = coverage(scores->bandwidth);
    double capable_peak = coverage(scores->capable_peak);
    double capable_bandwidth = coverage(scores->capable_bandwidth);
    size_t undetermined = scores->peak.undetermined + scores->bandwidth.undetermined;
    size_t all = undetermined + scores->peak.given + scores->bandwidth.given;
    double share = (double)undetermined / (double)all;
    bool good = median <= MOST_MEDIAN && tail <= MOST_TAIL && share <= MOST_UNDETERMINED &&
                fmin(peak, bandwidth) >= LEAST_COVERAGE &&
                fmin(capable_peak, capable_bandwidth) >= LEAST_CAPABLE;
    printf(
        "%-9s %3.0f %3.0f %4.1f %-8s %5.2f %5.2f  %5.1f %5.1f %5.1f %5.1f  %5.1f %5.1f  %4.1f%s\n",
        s->one_sided ? "one-sided" : "symmetric", 100 * s->noise, 100 * s->drift, s->sharpness,
        outliers[s->outliers], 100 * median, 100 * tail, 100 * peak, 100 * bandwidth,
        100 * coverage(scores->sharpness), 100 * coverage(scores->plateau), 100 * capable_peak,
        100 * capable_bandwidth, 100 * share, good ? "" : "  MISSED");
    fflush(stdout);
    return good;
}

static void unite(struct score *sum, struct score score)
{
    sum->held += score.held;
    sum->given += score.given;
    sum->undetermined += score.undetermined;
}

static void print_head(const char *title)
{
    printf(
        "\n%s\n                                  error %%        coverage of typical %%     "
        "capable %%   not\n"
        "noise       %%  drift p outliers     50 %%  90 %%   Pmax     B     p  plat   Pmax     B   "
        "det %%\n",
        title);
}

/* All cells of the table for ladders of this shape. */
static bool prove(const char *title, struct setting shape, int ladders, bool brief)
{
    static const double noises[] = {0.01, 0.03, 0.05}, drifts[] = {0, 0.05, 0.1};
    static const double sharpnesses[] = {1.5, 3, 8};
    struct score typical = {0}, capable = {0};
    bool good = true;
    print_head(title);
    for (int cell = 0; cell < 162; cell++) {
        struct setting s = shape;
        s.one_sided = cell / 81;
        s.noise = noises[cell / 27 % 3];
        s.drift = drifts[cell / 9 % 3];
        s.sharpness = sharpnesses[cell / 3 % 3];
        s.outliers = (enum outliers)(cell % 3);
        if (brief && (cell / 9 + cell / 3 + cell) % 6)
            continue;
        struct scores scores = score_cell(&s, ladders, (uint64_t)cell * 1000003);
        good = print_cell(&s, &scores) && good;
        unite(&typical, scores.peak);
        unite(&typical, scores.bandwidth);
        unite(&capable, scores.capable_peak);
        unite(&capable, scores.capable_bandwidth);
        free(scores.errors);
    }
    double overall = coverage(typical);
    printf("overall: typical %.2f %%, capable %.2f %%, not determined %.2f %%\n", 100 * overall,
           100 * coverage(capable),
           100 * (double)typical.undetermined / (double)(typical.undetermined + typical.given));
    return good && overall >= LEAST_OVERALL && overall <= MOST_OVERALL;
}

/* One joint fit of both readings. */
static void print_seconds(void)
{
    const struct setting s = {.levels = 4,
                              .rounds = 8,
                              .samples_per_round = 5,
                              .noise = 0.03,
                              .drift = 0.05,
                              .sharpness = 3};
    double seconds[TIMED];
    struct synthetic *made = malloc(sizeof(*made));
    if (!made)
        exit(1);
    for (uint64_t i = 0; i < TIMED; i++) {
        struct roof roof;
        synthetic_make(&s, i, made);
        double begin = clock_seconds();
        enum status status = fit_ladder(&made->ladder, &roof);
        seconds[i] = status == STATUS_OK ? clock_seconds() - begin : INFINITY;
        roof_clear(&roof);
    }
    quantile_sort(seconds, TIMED);
    printf("\na joint fit of 4 levels with 10 points each, both readings: %.1f ms\n",
           1e3 * quantile_of_sorted(seconds, TIMED, 0.5));
    free(made);
}

/* Ladders that lack a side of the knee, or the knee. */
struct lacking {
    const char *title;
    double first, last, gap;
    bool lacks_peak, lacks_bandwidth;
};

static bool prove_lacking(const struct lacking *lacking, int ladders)
{
    struct score peak = {0}, bandwidth = {0}, sharpness = {0};
    for (int cell = 0; cell < 54; cell++) {
        struct setting s = {.levels = 1, .rounds = 8, .samples_per_round = 5};
        s.first = lacking->first, s.last = lacking->last, s.gap = lacking->gap;
        s.one_sided = cell / 27;
        s.noise = 0.01 + 0.02 * (cell / 9 % 3);
        s.sharpness = (const double[]){1.5, 3, 8}[cell / 3 % 3];
        s.outliers = (enum outliers)(cell % 3);
        s.drift = 0.05;
        struct scores scores = score_cell(&s, (ladders + 9) / 10, (uint64_t)cell * 7919);
        unite(&peak, scores.peak);
        unite(&bandwidth, scores.bandwidth);
        unite(&sharpness, scores.sharpness);
        free(scores.errors);
    }
    double all = (double)(peak.given + peak.undetermined);
    double no_peak = (double)peak.undetermined / all;
    double no_bandwidth = (double)bandwidth.undetermined / all;
    bool good = (!lacking->lacks_peak || no_peak > 0.99) &&
                (!lacking->lacks_bandwidth || no_bandwidth > 0.99);
    printf("%-44s %5.0f  %6.1f %6.1f %6.1f   %6.1f %6.1f %6.1f%s\n", lacking->title, all,
           100 * no_peak, 100 * no_bandwidth, 100 * (double)sharpness.undetermined / all,
           100 * coverage(peak), 100 * coverage(bandwidth), 100 * coverage(sharpness),
           good ? "" : "  MISSED");
    fflush(stdout);
    return good;
}

static bool prove_all_lacking(int ladders)
{
    static const struct lacking all[] = {
        {"left of the knee only: I / ridge 1/64 .. 1/8", 1.0 / 64, 1.0 / 8, 0, true, false},
        {"left only, 1/64 .. 1/2", 1.0 / 64, 1.0 / 2, 0, true, false},
        {"left and the knee, 1/64 .. 1", 1.0 / 64, 1, 0, true, false},
        {"right of the knee only: 8 .. 256", 8, 256, 0, false, true},
        {"right only, 2 .. 256", 2, 256, 0, false, true},
        {"the knee and right, 1 .. 256", 1, 256, 0, false, true},
        {"the knee only, 2/3 .. 3/2", 2.0 / 3, 1.5, 0, true, true},
        {"no knee: nothing within 8 times the ridge", 1.0 / 64, 64, 8, false, false},
        {"no knee: nothing within 3 times the ridge", 1.0 / 64, 64, 3, false, false},
    };
    bool good = true;
    printf("\nladders that lack something                          not determined %%       "
           "coverage of the others %%\n%49s   Pmax      B      p     Pmax      B      p\n",
           "ladders");
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        good = prove_lacking(&all[i], ladders) && good;
    return good;
}

int main(int argc, char **argv)
{
    int ladders = argc > 1 ? atoi(argv[1]) : LADDERS;
    bool brief = argc > 2;
    double begin = clock_seconds();
    const struct setting full = {.levels = 1, .rounds = 8, .samples_per_round = 5};
    const struct setting quick = {.levels = 1, .rounds = 4, .samples_per_round = 10};
    const struct setting joint = {.levels = 4, .rounds = 8, .samples_per_round = 5};
    const struct setting lossy = {.levels = 1, .rounds = 8, .samples_per_round = 5, .missing = 0.1};
    bool good = prove("one level, 15 intensities, 40 samples in 8 rounds", full, ladders, brief);
    good = prove("the same in 4 rounds", quick, ladders, true) && good;
    good = prove("8 rounds, a tenth of the slices lost", lossy, ladders, true) && good;
    good = prove("4 levels of 10 intensities, 8 rounds", joint, ladders, true) && good;
    good = prove_all_lacking(ladders) && good;
    print_seconds();
    printf("%.0f s\n", clock_seconds() - begin);
    return !good;
}
