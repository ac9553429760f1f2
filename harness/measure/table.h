/* What a bench prints when it runs alone: a table for people, CSV or JSON Lines for programs. */
#pragma once

#include "harness/measure/plan.h"

#include <stdio.h>

enum output_format { OUTPUT_TABLE, OUTPUT_JSONL, OUTPUT_CSV, OUTPUT_COUNT };

/* -1 for an unknown name. */
int output_format_parse(const char *name);

struct table {
    FILE *file;
    enum output_format format;
    const struct plan *plan;
    int kernel_width;               /* 0: one kernel, named in the head */
    int axis_width[BENCH_MAX_AXES]; /* 0: the axis does not vary, and stands in the head */
    uint32_t flags_seen;
};

/* The head: question, device, what does not vary, column names. */
void table_begin(struct table *table, FILE *file, enum output_format format,
                 const struct plan *plan, const struct plan_context *context);
void table_row(struct table *table, const struct record *point);
/* The marks explained. */
void table_end(const struct table *table);
