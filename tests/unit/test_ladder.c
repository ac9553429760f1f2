/* Ladders: which points belong together, their shares of the roof and of the best peer, and what
 * the terminal says of them. */
#include "harness/model/ceilings.h"
#include "harness/model/ladder.h"
#include "harness/show/show.h"
#include "tests/unit/sentence.h"
#include "tests/unit/synthetic_run.h"

static const double PEAK = 0x1p36; /* of one thread, synthetic_run.h */

/* A rung that reaches `rate` op/s. */
static void add_rung(struct run *run, const char *variant, int n, int threads, double rate,
                     const char *implementation)
{
    const double side = n;
    struct record slice = {.threads = threads,
                           .operations = 2 * side * side * side,
                           .bytes = 3 * 8 * side * side,
                           .working_set_bytes = 3 * 8 * side * side,
                           .rounds_planned = 1};
    strcpy(slice.bench, "bench_gemm");
    strcpy(slice.variant, variant);
    strcpy(slice.device, "cpu");
    strcpy(slice.dtype, "f64");
    strcpy(slice.accumulator, "f64");
    strcpy(slice.isa, "x86-64-v4");
    snprintf(slice.implementation, sizeof(slice.implementation), "%s", implementation);
    snprintf(slice.params, sizeof(slice.params),
             "{\"dtype\":\"f64\",\"shape\":\"%dx%dx%d\",\"batch\":1,\"threads\":%d}", n, n, n,
             threads);
    record_identify(&slice);
    for (int i = 0; rate > 0 && i < 20; i++) {
        const struct sample sample = {.seconds = slice.operations / rate, .runs = 1};
        assert_int_equal(record_add_sample(&slice, &sample), STATUS_OK);
    }
    if (!(rate > 0)) {
        slice.status = RECORD_failed;
        strcpy(slice.reason, "it fell over");
    }
    assert_int_equal(run_add_slice(run, &slice), STATUS_OK);
    free(slice.samples);
}

static int open_run(void **state)
{
    static struct run run;
    synthetic_run(&run);
    add_rung(&run, "naive", 1024, 1, PEAK / 100, "");
    add_rung(&run, "packed", 1024, 1, PEAK * 0.9, "8 x 24 registers");
    add_rung(&run, "openblas", 1024, 1, PEAK * 0.45,
             "OpenBLAS 0.3.21 pthreads, core Haswell, OPENBLAS_CORETYPE=Haswell");
    add_rung(&run, "blis", 1024, 1, PEAK * 0.8, "BLIS 0.9.0 pthreads, core skx");
    add_rung(&run, "packed", 1024, 2, PEAK, "");
    add_rung(&run, "broken", 1024, 2, 0, "");
    add_rung(&run, "packed", 64, 1, PEAK / 2, ""); /* alone: no ladder */
    *state = &run;
    return ceilings_fit(&run) == STATUS_OK ? 0 : 1;
}

static int close_run(void **state)
{
    run_clear(*state);
    return 0;
}

static const struct record *find(const struct run *run, const char *variant, const char *part)
{
    for (size_t i = 0; i < run->points_count; i++)
        if (strcmp(run->points[i].variant, variant) == 0 && strstr(run->points[i].params, part))
            return &run->points[i];
    fail_msg("no point %s %s", variant, part);
    return NULL;
}

static void check_near(double got, double want)
{
    if (!(fabs(got - want) <= 0.02 * want))
        fail_msg("%g is not within 2 %% of %g", got, want);
}

static void shares_are_of_the_fastest_peer_and_of_the_compute_roof(void **state)
{
    const struct run *run = *state;
    const char *one = "\"shape\":\"1024x1024x1024\",\"batch\":1,\"threads\":1}";
    check_near(find(run, "packed", one)->share_of_peer, 0.9 / 0.8);
    check_near(find(run, "packed", one)->share_of_roof, 0.9);
    check_near(find(run, "openblas", one)->share_of_peer, 0.45 / 0.8);
    check_near(find(run, "blis", one)->share_of_peer, 1);
    check_near(find(run, "naive", one)->share_of_roof, 0.01);
    const char *two = "\"threads\":2}";
    assert_true(find(run, "packed", two)->share_of_peer == 0); /* the peers have other threads */
    check_near(find(run, "packed", two)->share_of_roof, 0.5);
    assert_true(find(run, "broken", two)->share_of_roof == 0);
}

static void rungs_of_the_same_parameters_make_a_ladder(void **state)
{
    struct ladders ladders;
    assert_int_equal(ladders_of(*state, &ladders), STATUS_OK);
    assert_int_equal(ladders.count, 2);
    assert_int_equal(ladders.list[0].count, 4);
    assert_string_equal(ladders.list[0].rungs[0]->variant, "naive");
    assert_string_equal(ladders.list[0].peer->variant, "blis");
    check_near(ladders.list[0].roof->value, PEAK);
    assert_int_equal(ladders.list[1].count, 2);
    assert_null(ladders.list[1].peer);
    ladders_clear(&ladders);
}

static char *print(const struct run *run, const struct show_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(show_ladder(run, options, file), STATUS_OK);
    fclose(file);
    return text;
}

static void the_terminal_shows_rungs_shares_and_the_wrong_library(void **state)
{
    const struct show_options options = {.threads = 1};
    char *text = print(*state, &options);
    static const char *const in_order[] = {
        "bench_gemm f64 1024x1024x1024, 1 thread; compute roof 68.7 Gop/s",
        "naive",
        "687 Mop/s",
        "1.0 %",
        "packed",
        "90 %",
        "112 %",
        "90.0",
        "= openblas",
        "45 %",
        "= openblas: OpenBLAS 0.3.21",
        "! openblas:",
        "OPENBLAS_CORETYPE",
    };
    const char *at = text;
    for (size_t i = 0; i < sizeof(in_order) / sizeof(in_order[0]); i++) {
        const char *found = strstr(at, in_order[i]);
        if (!found)
            fail_msg("\"%s\" is missing, or out of order, in\n%s", in_order[i], text);
        at = found + strlen(in_order[i]);
    }
    assert_null(strstr(text, "! blis"));
    assert_null(strstr(text, "2 threads; "));
    free(text);
}

static void a_library_beside_other_load_is_not_judged(void **state)
{
    const struct show_options options = {.threads = 1};
    struct record *slow = (struct record *)find(*state, "openblas", "\"threads\":1}");
    const uint32_t disturbances[] = {FLAG_foreign_load, FLAG_unsteady};
    const uint32_t flags = slow->flags;
    for (int i = 0; i < 2; i++) {
        slow->flags = flags | disturbances[i];
        char *text = print(*state, &options);
        assert_null(strstr(text, "! openblas"));
        free(text);
    }
    slow->flags = flags;
}

static void what_failed_says_why(void **state)
{
    const struct show_options options = {.threads = 2};
    char *text = print(*state, &options);
    assert_non_null(strstr(text, "failed: it fell over"));
    free(text);
}

static void programs_get_numbers(void **state)
{
    const struct show_options options = {.format = GRID_CSV, .threads = 1};
    char *text = print(*state, &options);
    assert_non_null(strstr(text, "ops_per_s,half_width,share_of_roof,share_of_peer"));
    assert_non_null(strstr(text, "OpenBLAS 0.3.21"));
    free(text);
}

static void a_run_without_a_ladder_says_what_would_give_one(void **state)
{
    (void)state;
    const struct show_options options = {0};
    struct run run;
    synthetic_begin(&run);
    add_rung(&run, "packed", 64, 1, 1e9, "");
    sentence_check(show_ladder(&run, &options, stdout), STATUS_BAD_ARGUMENT, "kernel=all");
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_fastest_peer_and_of_the_compute_roof),
        cmocka_unit_test(rungs_of_the_same_parameters_make_a_ladder),
        cmocka_unit_test(the_terminal_shows_rungs_shares_and_the_wrong_library),
        cmocka_unit_test(a_library_beside_other_load_is_not_judged),
        cmocka_unit_test(what_failed_says_why),
        cmocka_unit_test(programs_get_numbers),
        cmocka_unit_test(a_run_without_a_ladder_says_what_would_give_one),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
