/* The chart of a machine whose roofs are known, to the character; and what it says where there is
 * nothing to draw. */
#include "harness/model/ceilings.h"
#include "harness/show/show.h"
#include "tests/unit/sentence.h"
#include "tests/unit/synthetic_run.h"

enum { MOST_LINES = 24, PLOT_LINES = 19, WIDTH = 80 };

/* '1' to 'm' are the ladder in L1 to memory, '+' is read; the ridges are at 0.8, 4/3, 4, 16 op/B.
 */
static const char expected_chart[] =
    "Roofline f64, 1 thread: compute 68.7 Gop/s +-0.0%, ridge at 16 op/B \n"
    " 100 Gop/s│                 ⢀⣀⣀⣀⣀⣀⣀1⣀⣀⣀⣀2⣀⣀⣀⣀3⣀⣀⣀⣀3⣀⣀⣀⣀m⣀⣀⣀⣀m⣀⣀⣀⣀m⣀⣀⣀⣀m⣀⣀⣀⣀m⣀⣀⣀m\n"
    "          │               ⣠⠖⠋⢀2⠞⠁  2 ⣀⡴⠚3      ⣀⡴⠊m                             \n"
    "          │            ⣠⠴1⢁⡠⠞⠉    ⢀3⠚⠁      ⣀m⠚⠁                                \n"
    "          │         1⠴⠋⢁⣠2⠉    ⢀⡤⠞⠉      ⢀⡤⠚⠁                                   \n"
    "          │      ⣀⡴⠊⢁⣠⠖⠋    ⢀⡠3⠉      ⢀⡤m⠉                                      \n"
    "10.0 Gop/s│   ⣀+⠚⠁⣠⠴2    ⢀⣠⠖⠋      ⢀⡠⠞⠉                                         \n"
    "          │⢀⡤⠚⠁+⠴⠋⠁    ⣠⠖3      ⢀⣠⠖m                                            \n"
    "          │⠉⣀⡴⠋⠁    3⠴⠋       m⠖⠋                                               \n"
    "          │⠚⠁    ⣠⠴⠋⠁      ⣠⠴⠋                                                  \n"
    "          │   ⣀+⠊⠁      ⣠m⠋⠁                                                    \n"
    "          │⢀⡴⠚⠁      ⣀⡴⠊⠁                                                       \n"
    "1.00 Gop/s│⠁      ⣀⡴m⠁                                                          \n"
    "          │    +⡤⠚⠁                                                             \n"
    "          │ ⢀⡤⠞⠁                                                                \n"
    "          │⠞⠉                                                                   \n"
    "          │                                                                     \n"
    " 100 Mop/s│                                                                     \n"
    "          └─────────────────────────────────────────────────────────────────────\n"
    "           1/16      1/4      1         4         16        64       256 op/byte\n"
    "1 L1 85.9 GB/s  2 L2 51.5 GB/s  3 L3 17.2 GB/s  m memory 4.29 GB/s  + streams\n";

static int open_run(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    assert_non_null(run);
    synthetic_run(run);
    assert_int_equal(ceilings_ensure(run), STATUS_OK);
    *state = run;
    return 0;
}

static int close_run(void **state)
{
    run_clear(*state);
    free(*state);
    return 0;
}

static char *draw(const struct run *run, const struct show_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(show_roofline(run, options, file), STATUS_OK);
    fclose(file);
    return text;
}

/* Columns of the line that begins at `text`; *next is the line behind it. */
static int line_width(const char *text, const char **next)
{
    int width = 0;
    for (; *text && *text != '\n'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    *next = *text ? text + 1 : text;
    return width;
}

static void a_known_machine_is_drawn_to_the_character(void **state)
{
    const struct show_options options = {.format = GRID_TEXT, .threads = 1};
    char *text = draw(*state, &options);
    if (strcmp(text, expected_chart) != 0)
        fail_msg("drawn:\n%s", text);
    free(text);
}

static void the_chart_is_80_columns_wide_and_fits_24_lines(void **state)
{
    for (int threads = 0; threads <= 2; threads++) {
        const struct show_options options = {.format = GRID_TEXT, .threads = threads};
        char *text = draw(*state, &options);
        const char *line = text;
        int lines = 0;
        for (; *line; lines++) {
            int width = line_width(line, &line);
            assert_true(width <= WIDTH);
            if (lines >= 1 && lines <= PLOT_LINES) /* neither title nor legend */
                assert_int_equal(width, WIDTH);
        }
        assert_int_equal(lines, 2 + PLOT_LINES);
        assert_true(lines <= MOST_LINES);
        free(text);
    }
}

static void only_a_coloured_chart_has_escape_codes(void **state)
{
    struct show_options options = {.format = GRID_TEXT, .threads = 1};
    char *plain = draw(*state, &options);
    options.color = true;
    char *coloured = draw(*state, &options), *to = coloured;
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(coloured, '\033'));
    for (const char *from = coloured; *from;)
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    *to = '\0';
    assert_string_equal(coloured, plain);
    free(coloured);
    free(plain);
}

static void the_most_threads_are_drawn_where_none_are_asked_for(void **state)
{
    const struct show_options options = {.format = GRID_TEXT};
    char *text = draw(*state, &options);
    assert_non_null(strstr(text, "Roofline f64, 2 threads: compute 137 Gop/s"));
    assert_non_null(strstr(text, "ridge at 32 op/B"));
    free(text);
}

static void rungs_of_other_benches_are_not_drawn(void **state)
{
    const struct show_options options = {.format = GRID_TEXT, .threads = 1};
    struct record product = {
        .threads = 1, .bytes = 1 << 20, .operations = 1 << 27, .working_set_bytes = 512 << 10};
    strcpy(product.bench, "bench_gemm");
    strcpy(product.dtype, "f64");
    strcpy(product.params, "{\"dtype\":\"f64\",\"shape\":\"209x209x209\",\"threads\":1}");
    synthetic_add(*state, &product, 100, 0); /* so slow that it would stretch the chart */
    char *text = draw(*state, &options);
    if (strcmp(text, expected_chart) != 0)
        fail_msg("drawn:\n%s", text);
    free(text);
}

static void a_run_without_a_compute_ceiling_is_told_so(void **state)
{
    (void)state;
    struct run run;
    const struct show_options options = {.format = GRID_TEXT};
    synthetic_begin(&run);
    synthetic_stream(&run, "read", 1, 1, 256 << 20, 1, 4e9);
    assert_int_equal(ceilings_ensure(&run), STATUS_OK);
    sentence_check(show_roofline(&run, &options, stdout), STATUS_BAD_ARGUMENT,
                   "no compute ceiling is determined in this run: it needs points");
    run_clear(&run);
    sentence_check(show_roofline(&run, &options, stdout), STATUS_BAD_ARGUMENT,
                   "no compute ceiling is determined in this run");
}

static void what_the_run_does_not_have_is_refused_by_name(void **state)
{
    const struct show_options f32 = {.format = GRID_TEXT, .dtype = "f32"};
    const struct show_options three = {.format = GRID_TEXT, .threads = 3};
    sentence_check(show_roofline(*state, &f32, stdout), STATUS_BAD_ARGUMENT,
                   "no compute ceiling for f32");
    sentence_check(show_roofline(*state, &three, stdout), STATUS_BAD_ARGUMENT,
                   "no compute ceiling");
}

/* The header, compute, four levels, 4 x 13 rungs and four reads. */
static void as_a_table_it_lists_the_roofs_and_the_points(void **state)
{
    const struct show_options options = {.format = GRID_CSV, .threads = 1};
    char *text = draw(*state, &options);
    int lines = 0;
    for (const char *line = text; *line; lines++)
        line_width(line, &line);
    assert_int_equal(lines, 1 + 1 + 4 + 4 * 13 + 4);
    assert_non_null(strstr(text, "\"roof\",\"compute\",\"f64\",\"cpu\",1,,6.8719"));
    assert_non_null(strstr(text, "\"roof\",\"memory\",\"f64\",\"cpu\",1,,,4.2949"));
    assert_non_null(
        strstr(text, "\"bench_intensity\",\"L1\",\"f64\",\"cpu\",1,1024,6.87194767e+10,"));
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_run, close_run)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_known_machine_is_drawn_to_the_character),
        TEST(the_chart_is_80_columns_wide_and_fits_24_lines),
        TEST(only_a_coloured_chart_has_escape_codes),
        TEST(the_most_threads_are_drawn_where_none_are_asked_for),
        TEST(rungs_of_other_benches_are_not_drawn),
        TEST(a_run_without_a_compute_ceiling_is_told_so),
        TEST(what_the_run_does_not_have_is_refused_by_name),
        TEST(as_a_table_it_lists_the_roofs_and_the_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
