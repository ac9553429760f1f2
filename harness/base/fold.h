/* Sentences for a terminal of 80 columns. */
#pragma once

#include "harness/base/c_api.h"

#include <stdio.h>

C_API_BEGIN

/* Prints the text, whose first word stands at `column`, and a newline; broken at spaces, later
 * lines indented by that many spaces. Runs of spaces become one. */
void fold_print(FILE *file, const char *text, int column, int indent);

C_API_END
