/* Looks into the sentence of the last failure. */
#pragma once

#include "harness/base/status.h"
#include "tests/unit/test.h"

#include <string.h>

/* Fails unless `status` is the one expected and the sentence holds these words. */
static inline void sentence_check(enum status status, enum status expected, const char *words)
{
    if (status != expected)
        fail_msg("%s instead of %s", status_text(status), status_text(expected));
    if (!strstr(error_message(), words))
        fail_msg("\"%s\" does not say \"%s\"", error_message(), words);
}
