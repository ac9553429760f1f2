/* ridge VERB ...: starts the verb, prints its error, returns its exit code. */
#include "harness/base/version.h"
#include "harness/cli/verb.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

static const struct verb *const verbs[] = {&verb_run,    &verb_fit,  &verb_show,
                                           &verb_report, &verb_list, &verb_doctor};
enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

static void print_help(FILE *file)
{
    fprintf(file, "ridge measures what this machine computes and moves, and keeps every sample.\n\n"
                  "Usage: ridge VERB [OPTION...]\n\n");
    for (int i = 0; i < VERB_COUNT; i++)
        fprintf(file, "  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(file, "\n'ridge VERB --help' explains a verb. Exit codes: 0 fine, 1 a check failed,\n"
                  "2 usage or input error, 3 could not measure, 77 skipped.\n");
}

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    char name[32], version[128];
    snprintf(name, sizeof(name), "ridge %s", verb->name);
    snprintf(version, sizeof(version), "ridge %s (%s)", version_text(), version_commit());
    argp_program_version = version;
    argp_err_exit_status = status_exit_code(STATUS_BAD_ARGUMENT);
    argv[0] = name;
    enum status status = verb->run(argc, argv);
    if (status != STATUS_OK)
        error_print(name);
    return status_exit_code(status);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const struct verb *verb = find_verb(word);
    if (verb)
        return run_verb(verb, argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        printf("ridge %s (%s)\n", version_text(), version_commit());
        return 0;
    }
    if (*word)
        fprintf(stderr, "ridge: no verb '%s'; 'ridge --help' lists them\n", word);
    else
        print_help(stderr);
    return status_exit_code(STATUS_BAD_ARGUMENT);
}
