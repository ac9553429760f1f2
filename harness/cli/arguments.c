#include "harness/cli/arguments.h"

#include <string.h>

bool arguments_is_json(const char *arg, struct argp_state *state)
{
    bool is_json = strcmp(arg, "json") == 0;
    if (!is_json && strcmp(arg, "text") != 0)
        argp_error(state, "--format: '%s' is neither text nor json", arg);
    return is_json;
}

error_t arguments_one_file(int key, char *arg, struct argp_state *state, const char **path)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (*path)
            argp_error(state, "one file at a time: '%s' or '%s'", *path, arg);
        *path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!*path)
            argp_error(state, "which file? %s FILE", state->name);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

error_t arguments_none(int key, const char *arg, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "'%s' is one word too many", arg);
    return 0;
}
