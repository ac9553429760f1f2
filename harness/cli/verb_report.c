/* ridge report FILE: one page that opens offline, with every table and picture of a run. */
#include "harness/cli/arguments.h"
#include "harness/cli/verb.h"
#include "harness/drive/child.h"
#include "harness/drive/places.h"
#include "harness/model/ceilings.h"
#include "harness/store/store.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct request {
    const char *path, *output, *figures;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the page (default: NAME-report.html beside NAME.h5)", 0},
    {"figures", 'F', "FOLDER", 0,
     "also write each picture there, as HTML, SVG, PNG and PDF; the folder is created", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'o': request->output = arg; return 0;
    case 'F': request->figures = arg; return 0;
    default: return arguments_one_file(key, arg, state, &request->path);
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE",
    .doc = "Writes one HTML page with the machine, its ceilings, rooflines, the staircase, every "
           "sample and every point, and how to reproduce them. It needs no network and prints "
           "well. A file without a fit is fitted first ('ridge fit').\vThe page is made by "
           "plot/report.py; 'bash ci/deps.sh plot' installs what that needs.",
};

/* The page reads the ceilings from the file. */
static enum status fit_where_needed(const char *path)
{
    struct run run;
    TRY(store_read(path, &run));
    enum status status = STATUS_OK;
    if (run.ceilings_count == 0) {
        status = ceilings_fit(&run);
        if (status == STATUS_OK && run.ceilings_count == 0)
            status = FAIL(STATUS_BAD_ARGUMENT,
                          "%s holds no point that a ceiling could be fitted to; 'ridge show %s "
                          "points' lists what it has",
                          path, path);
        if (status == STATUS_OK)
            status = store_write(path, &run);
    }
    run_clear(&run);
    return status;
}

/* The virtual environment beside the data, else the system's Python. */
static enum status find_python(const char *data, char *python, size_t size)
{
    static const char needed[] = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec"
                                 ", ('numpy', 'h5py', 'altair', 'vl_convert'))))";
    snprintf(python, size, "%s/build/venv/bin/python3", data);
    if (access(python, X_OK) != 0)
        snprintf(python, size, "/usr/bin/python3");
    const char *const argv[] = {python, "-c", needed, NULL};
    char *output = NULL;
    if (access(python, X_OK) != 0 || child_ask(argv, &output) != STATUS_OK)
        return FAIL(STATUS_CHILD, "the report needs Python 3 with NumPy, h5py, Altair and "
                                  "vl-convert: 'bash ci/deps.sh plot' installs them");
    free(output);
    return STATUS_OK;
}

static enum status make_page(const struct request *request)
{
    char data[4096], python[4200], script[4200], *output;
    places_data(data, sizeof(data));
    snprintf(script, sizeof(script), "%s/plot/report.py", data);
    if (access(script, R_OK) != 0)
        return FAIL(STATUS_IO, "%s is missing: set RIDGE_DATA to the folder that holds plot/",
                    script);
    TRY(find_python(data, python, sizeof(python)));
    TRY(fit_where_needed(request->path));
    const char *argv[10] = {python, "-B", script};
    size_t count = 3;
    if (request->output) {
        argv[count++] = "--output";
        argv[count++] = request->output;
    }
    if (request->figures) {
        argv[count++] = "--figures";
        argv[count++] = request->figures;
    }
    argv[count++] = "--";
    argv[count] = request->path;
    TRY(child_ask(argv, &output));
    fputs(output, stdout);
    free(output);
    return STATUS_OK;
}

static enum status run_verb(int argc, char **argv)
{
    struct request request = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &request);
    return make_page(&request);
}

const struct verb verb_report = {
    .name = "report",
    .summary = "write one page with everything a run found; opens offline, prints well",
    .run = run_verb,
};
