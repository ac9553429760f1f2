/* ridge fit FILE: fits the roofs and keeps them in the file, and beside it for the benches. */
#include "harness/cli/arguments.h"
#include "harness/cli/verb.h"
#include "harness/model/ceilings.h"
#include "harness/model/roof_file.h"
#include "harness/store/replace.h"
#include "harness/store/store.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

struct request {
    const char *path, *roof;
    int is_quiet;
};

static const struct argp_option option_table[] = {
    {"roof", 'r', "FILE", 0,
     "write the roofs as JSON there (default: the state folder, where benches look for them)", 0},
    {"quiet", 'q', 0, 0, "print nothing", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'r': request->roof = arg; return 0;
    case 'q': request->is_quiet = 1; return 0;
    default: return arguments_one_file(key, arg, state, &request->path);
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE",
    .doc = "Fits the roofs of a run: one joint fit per element and thread count, with 95 % "
           "intervals. The file is rewritten as a whole with the ceilings and every point's "
           "residual in it; the roofs also go to roof.json, which 'bench_NAME --explain' predicts "
           "from.\vA ceiling that the points do not determine is said to be not determined, with "
           "the reason, and never invented.",
};

static int count_determined(const struct run *run, const char *kind, int *total)
{
    int determined = 0;
    *total = 0;
    for (size_t i = 0; i < run->ceilings_count; i++) {
        const struct ceiling *c = &run->ceilings[i];
        if (strcmp(c->reading, "typical") != 0 || strcmp(c->kind, kind) != 0)
            continue;
        ++*total;
        determined += strcmp(c->status, "determined") == 0;
    }
    return determined;
}

static enum status fit(const struct request *request, struct run *run)
{
    char path[4096];
    int compute_total, bandwidth_total;
    TRY(ceilings_fit(run));
    int compute = count_determined(run, "compute", &compute_total);
    int bandwidth = count_determined(run, "bandwidth", &bandwidth_total);
    if (run->ceilings_count == 0)
        return FAIL(STATUS_BAD_ARGUMENT,
                    "%s holds no point that a ceiling could be fitted to; 'ridge show %s points' "
                    "lists what it has",
                    request->path, request->path);
    replace_remove_leftovers(request->path);
    TRY(store_write(request->path, run));
    if (request->roof)
        snprintf(path, sizeof(path), "%s", request->roof);
    else
        TRY(roof_file_default(run, path, sizeof(path)));
    TRY(roof_file_write(path, run));
    if (!request->is_quiet)
        printf("%d of %d compute and %d of %d bandwidth ceilings determined\n%s\n%s\n", compute,
               compute_total, bandwidth, bandwidth_total, request->path, path);
    return STATUS_OK;
}

static enum status run_verb(int argc, char **argv)
{
    struct request request = {0};
    struct run run = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &request);
    TRY(store_read(request.path, &run));
    enum status status = fit(&request, &run);
    run_clear(&run);
    return status;
}

const struct verb verb_fit = {
    .name = "fit",
    .summary = "fit the roofs of a run, with intervals, and keep them in its file",
    .run = run_verb,
};
