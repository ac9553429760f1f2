/* The parameters of a point, read from its JSON text. */
#pragma once

#include "harness/record/record.h"

/* The text of a parameter ("add"), or "" where it is none or a number. Returns buffer. */
const char *params_text(const struct record *point, const char *name, char *buffer, size_t size);

/* The number, or `otherwise`. */
double params_number(const struct record *point, const char *name, double otherwise);

/* Is it a matrix product or a chain of them: neither a rung of intensities nor a stream? Matrix
 * units may multiply what plain cores do not, so these have a compute roof of their own. */
bool params_is_product(const struct record *point);

/* Is it a control, measured beside another bench? */
bool params_is_control(const struct record *point);
