/* ridge run [SUITE]: sweeps this machine. */
#include "harness/cli/verb.h"
#include "harness/drive/campaign.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEY_RESUME = 256, KEY_TIMEOUT, KEY_DEVICE, KEY_ISA, KEY_PAGES, KEY_BLAS };
static const double DEFAULT_TIMEOUT_SECONDS = 120;

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "HDF5 file (default ridge-HOST-SUITE-TIME.h5 in this folder)", 0},
    {"resume", KEY_RESUME, 0, 0, "measure what is missing in FILE (needs -o)", 0},
    {"quiet", 'q', 0, 0, "no progress", 0},
    {"device", KEY_DEVICE, "NAME", 0,
     "cpu, cuda:0, or a list (default: the CPU and every GPU here)", 0},
    {"isa", KEY_ISA, "NAME", 0, "instruction set of the CPU kernels", 0},
    {"pages", KEY_PAGES, "huge|small", 0, "pages of large buffers", 0},
    {"blas", KEY_BLAS, "PATH", 0, "a CBLAS library of your own, beside OpenBLAS and BLIS", 0},
    {"timeout", KEY_TIMEOUT, "S", 0, "give a bench up after S seconds without a word (120)", 0},
    {0},
};

static double parse_seconds(struct argp_state *state, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0))
        argp_error(state, "--timeout: '%s' is not a number above 0", text);
    return seconds;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct campaign_options *o = state->input;
    switch (key) {
    case 'o': o->output = arg; return 0;
    case 'q': o->quiet = true; return 0;
    case KEY_RESUME: o->resume = true; return 0;
    case KEY_DEVICE: o->device = arg; return 0;
    case KEY_ISA: o->isa = arg; return 0;
    case KEY_PAGES: o->pages = arg; return 0;
    case KEY_BLAS: o->blas = arg; return 0;
    case KEY_TIMEOUT: o->timeout_seconds = parse_seconds(state, arg); return 0;
    case ARGP_KEY_ARG:
        if (o->suite)
            argp_error(state, "one suite at a time: '%s' or '%s'", o->suite, arg);
        o->suite = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->output && !*o->output)
            argp_error(state, "-o needs the name of a file");
        if (o->resume && (o->suite || !o->output))
            argp_error(state, "--resume needs -o FILE and no suite: the file knows its own");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[SUITE]",
    .doc = "Measures the points of a suite (default: quick; 'ridge list' names them) and writes "
           "every sample to an HDF5 file.\vA run that is stopped or killed loses at most the "
           "point being measured: 'ridge run --resume -o FILE' goes on. Exit codes: 0 fine, 1 a "
           "wrong answer, 2 usage or input error, 3 something could not be measured.",
};

/* ridge-node7-quick-20260131T120000.h5; only the suite's name without folder and ending. */
static void name_output(const char *suite, char *path, size_t size)
{
    char host[64] = "", when[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof(host) - 1);
    gmtime_r(&now, &utc);
    strftime(when, sizeof(when), "%Y%m%dT%H%M%S", &utc);
    const char *slash = strrchr(suite, '/'), *base = slash ? slash + 1 : suite;
    snprintf(path, size, "ridge-%s-%.*s-%s.h5", host, (int)strcspn(base, "."), base, when);
}

static enum status judge(const struct campaign_options *o, const struct campaign_result *r)
{
    fprintf(stderr, "%zu points: %zu measured, %zu skipped, %zu wrong, %zu failed", r->points,
            r->measured, r->skipped, r->wrong, r->failed);
    if (r->seconds > 0)
        fprintf(stderr, "; %.1f s, %.0f %% of it in benches, journal %.2f %%", r->seconds,
                100 * r->child_seconds / r->seconds, 100 * r->journal_seconds / r->seconds);
    fprintf(stderr, "\n");
    printf("%s\n", o->output);
    if (r->wrong)
        return FAIL(STATUS_WRONG_ANSWER,
                    "%zu of %zu points gave a wrong answer; 'ridge show %s points' says which",
                    r->wrong, r->points, o->output);
    if (r->failed)
        return FAIL(STATUS_CHILD,
                    "%zu of %zu points could not be measured; 'ridge show %s points' says why",
                    r->failed, r->points, o->output);
    return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
    char output[4000];
    struct campaign_options options = {
        .timeout_seconds = DEFAULT_TIMEOUT_SECONDS, .argument_count = argc, .arguments = argv};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!options.suite)
        options.suite = "quick";
    if (!options.output) {
        name_output(options.suite, output, sizeof(output));
        options.output = output;
    }
    struct campaign_result result;
    TRY(campaign_run(&options, &result));
    return judge(&options, &result);
}

const struct verb verb_run = {
    .name = "run",
    .summary = "sweep this machine and keep every sample in an HDF5 file",
    .run = run,
};
