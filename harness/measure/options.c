#include "harness/measure/options.h"

#include "harness/base/version.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_DEVICE = 'd',
    KEY_SET = 's',
    KEY_KERNEL = 'k',
    KEY_FORMAT = 'f',
    KEY_LIST = 'l',
    KEY_SECONDS = 256,
    KEY_ROUNDS,
    KEY_POLICY,
    KEY_DESCRIBE,
    KEY_CHECK_ONLY,
    KEY_PROFILE,
    KEY_ISA,
    KEY_FILL,
    KEY_PAGES,
    KEY_LEVELS,
    KEY_CASES,
    KEY_RECORD,
    KEY_ACK,
    KEY_RUN_ID,
    KEY_CHILD,
    KEY_CONTROLS,
    KEY_EXPLAIN,
    KEY_ROOF,
    KEY_DEVICES,
    KEY_BLAS,
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is measured:", 1},
    {"device", KEY_DEVICE, "NAME", 0,
     "cpu (default), or a GPU by number or PCI bus id: cuda:0, cuda:0000:17:00.0", 1},
    {"set", KEY_SET, "AXIS=V,V", 0,
     "measure these values instead of the bench's own: names, 64Ki, 0.5L2, 4LLC, all, or a range "
     "4Ki..4LLC*2; repeatable",
     1},
    {"kernel", KEY_KERNEL, "NAME", 0, "a rung of the ladder, or all (default: the best)", 1},
    {"isa", KEY_ISA, "NAME", 0, "instruction set of the CPU kernels (default: the best here)", 1},
    {"fill", KEY_FILL, "random|zero", 0, "inputs; zero shows the effect on power", 1},
    {"pages", KEY_PAGES, "huge|small", 0, "pages of large buffers (default huge)", 1},
    {"blas", KEY_BLAS, "PATH", 0,
     "a CBLAS library of your own as rung 'blas', beside OpenBLAS and BLIS", 1},
    {0, 0, 0, 0, "How long:", 2},
    {"policy", KEY_POLICY, "NAME", 0, "quick (default), full or smoke", 2},
    {"seconds", KEY_SECONDS, "S", 0, "time of one case over all its rounds", 2},
    {"rounds", KEY_ROUNDS, "N", 0, "interleave the cases over N rounds", 2},
    {0, 0, 0, 0, "What is printed:", 3},
    {"format", KEY_FORMAT, "NAME", 0, "table (default), csv or jsonl", 3},
    {"list", KEY_LIST, 0, 0, "the cases that would be measured, with their ids", 3},
    {"describe", KEY_DESCRIBE, 0, 0, "question, axes and kernels, as JSON", 3},
    {"explain", KEY_EXPLAIN, 0, 0, "the lesson: what the roofs predict, what was measured, and why",
     3},
    {"roof", KEY_ROOF, "FILE", 0,
     "predict from this roof.json (default: this host's, by ridge fit)", 3},
    {"check-only", KEY_CHECK_ONLY, 0, 0, "check the answers, time nothing", 3},
    {"kernel-profile", KEY_PROFILE, 0, 0, "one bare launch of the first case, for a profiler", 3},
    {0, 0, 0, 0, "Under the harness:", 4},
    {"cases", KEY_CASES, "FILE", 0, "measure the cases of this file (one JSON object a line)", 4},
    {"record", KEY_RECORD, "FILE|fd:N", 0, "append slices there as JSON lines", 4},
    {"ack", KEY_ACK, "fd:N", 0, "wait for one byte from there after each slice", 4},
    {"controls", KEY_CONTROLS, 0, 0, "measure the two control cases in every round, too", 4},
    {"levels", KEY_LEVELS, "LIST", 0, "cache capacities, instead of probing for them", 4},
    {"run-id", KEY_RUN_ID, "ID", 0, "identity of the run", 4},
    {"devices", KEY_DEVICES, 0, 0, "what --device can name here, as JSON lines", 4},
    {"child", KEY_CHILD, "N", 0, "number of this process within the run", 4},
    {0},
};

static double parse_positive(struct argp_state *state, const char *name, const char *text,
                             double most)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number > 0) || number > most)
        argp_error(state, "%s: '%s' is not a number above 0 and up to %g", name, text, most);
    return number;
}

static bool parse_either(struct argp_state *state, const char *name, const char *text,
                         const char *yes, const char *no)
{
    if (strcmp(text, yes) != 0 && strcmp(text, no) != 0)
        argp_error(state, "%s: '%s' is neither %s nor %s", name, text, yes, no);
    return strcmp(text, yes) == 0;
}

static void parse_policy(struct argp_state *state, const char *name, struct options *options)
{
    const struct policy *policy = policy_find(name);
    if (!policy)
        argp_error(state, "--policy: '%s' is none of quick, full, smoke", name);
    else
        options->policy = *policy;
}

static void add_setting(struct argp_state *state, const char *setting, struct options *options)
{
    if (options->setting_count == PLAN_MAX_SETTINGS)
        argp_error(state, "more than %d --set", PLAN_MAX_SETTINGS);
    else
        options->settings[options->setting_count++] = setting;
}

static error_t parse_measuring(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_DEVICE: o->device.name = arg; return 0;
    case KEY_SET: add_setting(state, arg, o); return 0;
    case KEY_KERNEL: o->kernel = arg; return 0;
    case KEY_ISA: o->device.isa = arg; return 0;
    case KEY_BLAS: o->blas = arg; return 0;
    case KEY_FILL:
        o->constant_fill = parse_either(state, "--fill", arg, "zero", "random");
        return 0;
    case KEY_PAGES:
        o->device.pages =
            parse_either(state, "--pages", arg, "huge", "small") ? PAGES_HUGE : PAGES_SMALL;
        return 0;
    case KEY_POLICY: parse_policy(state, arg, o); return 0;
    case KEY_SECONDS:
        o->policy.case_seconds = parse_positive(state, "--seconds", arg, 86400);
        return 0;
    case KEY_ROUNDS:
        o->policy.rounds = (int)ceil(parse_positive(state, "--rounds", arg, PLAN_MAX_ROUNDS - 1));
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_FORMAT: {
        int format = output_format_parse(arg);
        if (format < 0)
            argp_error(state, "--format: '%s' is none of table, csv, jsonl", arg);
        o->format = (enum output_format)format;
        return 0;
    }
    case KEY_LIST: o->mode = MODE_LIST; return 0;
    case KEY_DESCRIBE: o->mode = MODE_DESCRIBE; return 0;
    case KEY_CHECK_ONLY: o->mode = MODE_CHECK; return 0;
    case KEY_EXPLAIN: o->explain = true; return 0;
    case KEY_DEVICES: o->mode = MODE_DEVICES; return 0;
    case KEY_ROOF: o->roof = arg; return 0;
    case KEY_PROFILE: o->mode = MODE_PROFILE; return 0;
    case KEY_CASES: o->cases = arg; return 0;
    case KEY_RECORD: o->record = arg; return 0;
    case KEY_ACK: o->ack = arg; return 0;
    case KEY_CONTROLS: o->controls = true; return 0;
    case KEY_LEVELS: o->device.levels = arg; return 0;
    case KEY_RUN_ID: o->run_id = arg; return 0;
    case KEY_CHILD: o->child = atoi(arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_ARG)
        argp_error(state, "'%s' is not an option; see --help", arg);
    error_t error = parse_measuring(key, arg, state);
    return error == ARGP_ERR_UNKNOWN ? parse_output(key, arg, state) : error;
}

void options_parse(int argc, char **argv, const struct bench *bench, struct options *options)
{
    char version[160], text[1024];
    snprintf(version, sizeof(version), "%s (ridge %s, %s)", bench->name, version_text(),
             version_commit());
    argp_program_version = version;
    argp_err_exit_status = status_exit_code(STATUS_BAD_ARGUMENT);
    snprintf(text, sizeof(text), "%s\v%s\n\nAxes and their own values are printed by --describe.",
             bench->question, bench->counting);
    *options = (struct options){.device = {.name = "cpu"}, .run_id = "alone"};
    options->policy = *policy_find("quick");
    const struct argp argp = {.options = option_table, .parser = parse_option, .doc = text};
    argp_parse(&argp, argc, argv, 0, NULL, options);
}
