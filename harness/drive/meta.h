/* What is known of a run beside its points: who asked for what, when, with which program. */
#pragma once

#include "harness/drive/campaign.h"
#include "harness/drive/suite.h"

enum { META_MAX_ARGUMENTS = 24 };

/* The children's common arguments, kept in the run so that a resumed one is measured alike. */
struct child_arguments {
    const char *list[META_MAX_ARGUMENTS + 1]; /* NULL-terminated; point into text */
    char text[META_MAX_ARGUMENTS][160];
    int count;
};

void meta_add_argument(struct child_arguments *arguments, const char *text);

/* A JSON object; the caller frees. */
enum status meta_create(const struct campaign_options *options, const struct suite *suite,
                        const struct child_arguments *arguments, char **meta_json);

/* The same with the outcome added: end time, seconds, complete. Replaces *meta_json. */
enum status meta_finish(char **meta_json, const struct campaign_result *result, bool is_complete);

/* Reads suite text, suite path and child arguments back. The caller frees *suite_text and
 * *suite_path. */
enum status meta_read(const char *meta_json, char **suite_text, char **suite_path,
                      struct child_arguments *arguments);
bool meta_is_complete(const char *meta_json);
