/* --explain: the lesson of a case. First what the roofs predict, then what was measured, then why
 * the two agree or differ. */
#pragma once

#include "harness/measure/plan.h"
#include "harness/measure/roof_book.h"

#include <stdio.h>

/* `planned` is the case that `point` was measured for. Without a roof for it, arithmetic is
 * predicted from the core clock and the register width, and that is said. */
void explain(FILE *file, const struct roof_book *book, const struct planned_case *planned,
             const struct device_info *info, const struct record *point);
