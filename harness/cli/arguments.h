/* What several verbs parse alike. */
#pragma once

#include <argp.h>
#include <stdbool.h>

/* For --format of the verbs that print text or JSON: is it JSON? Anything else is a usage error. */
bool arguments_is_json(const char *arg, struct argp_state *state);

/* For the verbs that take one FILE: handles the keys of an argument and of the end of all. */
error_t arguments_one_file(int key, char *arg, struct argp_state *state, const char **path);

/* For the verbs that take none. */
error_t arguments_none(int key, const char *arg, struct argp_state *state);
