/* ridge show FILE [VIEW]: what a run found. */
#include "harness/cli/verb.h"
#include "harness/model/ceilings.h"
#include "harness/show/show.h"
#include "harness/store/store.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct view {
    const char *name;
    enum status (*show)(const struct run *, const struct show_options *, FILE *);
} views[] = {{"ceilings", show_ceilings},   {"points", show_points}, {"prices", show_prices},
             {"staircase", show_staircase}, {"ladder", show_ladder}, {"roofline", show_roofline}};
enum { VIEW_COUNT = sizeof(views) / sizeof(views[0]), DEFAULT_VIEW = VIEW_COUNT - 1 };

struct request {
    const char *path;
    const struct view *view;
    struct show_options show;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "NAME", 0, "text (default), md, csv or json", 0},
    {"device", 'D', "NAME", 0, "cpu, cuda:0 (default: all; of a chart a GPU before the cpu)", 0},
    {"dtype", 'd', "NAME", 0,
     "of prices, ladders and charts: f32, f64 (default: all; of a chart the first there is)", 0},
    {"threads", 't', "N", 0, "of prices, ladders and charts (default: the most; all ladders)", 0},
    {0},
};

static void parse_word(const char *word, struct request *request, struct argp_state *state)
{
    if (!request->path) {
        request->path = word;
        return;
    }
    for (int i = 0; i < VIEW_COUNT && !request->view; i++)
        if (strcmp(views[i].name, word) == 0)
            request->view = &views[i];
    if (!request->view)
        argp_error(
            state,
            "no view '%s'; there are ceilings, prices, points, roofline, staircase and ladder",
            word);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'f': {
        int format = grid_format_parse(arg);
        if (format < 0)
            argp_error(state, "--format: '%s' is none of text, md, csv, json", arg);
        request->show.format = (enum grid_format)format;
        return 0;
    }
    case 'D': request->show.device = arg; return 0;
    case 'd': request->show.dtype = arg; return 0;
    case 't':
        request->show.threads = atoi(arg);
        if (request->show.threads < 1)
            argp_error(state, "--threads: '%s' is not a number above 0", arg);
        return 0;
    case ARGP_KEY_ARG: parse_word(arg, request, state); return 0;
    case ARGP_KEY_END:
        if (!request->path)
            argp_error(
                state,
                "which file? ridge show FILE [ceilings|prices|points|roofline|staircase|ladder]");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE [ceilings|prices|points|roofline|staircase|ladder]",
    .doc = "Prints what a run found (default: its roofline). Every number is the typical one "
           "(median), with its unit, its 95 % interval and its flags.",
};

static enum status run(int argc, char **argv)
{
    struct request request = {0};
    struct run stored = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &request);
    if (!request.view)
        request.view = &views[DEFAULT_VIEW];
    request.show.color = isatty(STDOUT_FILENO);
    TRY(store_read(request.path, &stored));
    enum status status = ceilings_ensure(&stored);
    if (status == STATUS_OK)
        status = show_check_device(&stored, &request.show);
    if (status == STATUS_OK)
        status = request.view->show(&stored, &request.show, stdout);
    run_clear(&stored);
    if (status == STATUS_OK && fflush(stdout) != 0)
        status = FAIL(STATUS_IO, "cannot write the table: is the disk full?");
    return status;
}

const struct verb verb_show = {
    .name = "show",
    .summary = "print a run's roofline, ceilings, prices, points, staircase or ladders",
    .run = run,
};
