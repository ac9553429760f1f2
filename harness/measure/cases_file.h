/* The list of cases that a child is asked for, one JSON object a line:
 *
 *     {"bench":"bench_vector_add","variant":"vector","params":{"op":"add",..},"rounds":[0,1]}
 *
 * `rounds` is left out for all of the policy's. A control's params hold "beside". */
#pragma once

#include "harness/measure/plan.h"

#include <stdio.h>

/* Reads the file into the plan; benches are looked up among `bench` and the controls' benches.
 * STATUS_BAD_ARGUMENT names the file and the line. */
enum status cases_file_read(const char *path, const struct bench *bench,
                            const struct control *controls, const struct plan_context *context,
                            struct plan *plan);

/* The planned cases for people (id, kernel, params), or as records without samples. */
void cases_file_list(const struct plan *plan, const struct plan_context *context, FILE *file);
enum status cases_file_list_records(const struct plan *plan, const struct plan_context *context,
                                    FILE *file);
