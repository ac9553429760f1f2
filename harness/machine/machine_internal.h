/* The parts of machine.h that tests reach one by one. */
#pragma once

#include "harness/base/status.h"
#include "harness/machine/facts.h"

#include <stdbool.h>

C_API_BEGIN

/* The JSON of machine_describe from facts and an environment (NULL-terminated "NAME=value"). */
enum status machine_facts_json(const struct facts *facts, char *const *environment, char **json);

/* Whether a variable belongs into the record: its prefix says that it steers a library that we
 * measure, and its name does not say that it is a secret. */
bool machine_keeps_variable(const char *assignment);

C_API_END
