#include "harness/drive/suite.h"

#include "harness/drive/places.h"
#include "harness/measure/policy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_ROUNDS = 63, MOST_POINTS = 1000000 };
static const char SPACES[] = " \t\r";

void suite_clear(struct suite *suite)
{
    for (size_t i = 0; i < suite->lines_count; i++) {
        free(suite->lines[i].bench);
        free(suite->lines[i].kernel);
        for (int s = 0; s < SUITE_MAX_SETTINGS; s++)
            free(suite->lines[i].settings[s]);
    }
    free(suite->lines);
    free(suite->path);
    free(suite->text);
    *suite = (struct suite){0};
}

static enum status copy_word(const char *word, char **copy)
{
    free(*copy);
    *copy = strdup(word);
    return *copy ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a suite");
}

static enum status parse_number(const char *word, double most, double *number)
{
    char *end = NULL;
    *number = word ? strtod(word, &end) : 0;
    if (!word || *end || !(*number > 0) || *number > most)
        return FAIL(STATUS_BAD_ARGUMENT, "'%s' is not a number above 0 and up to %g",
                    word ? word : "", most);
    return STATUS_OK;
}

static enum status parse_count(const char *word, int most, int *count)
{
    double number;
    TRY(parse_number(word, most, &number));
    *count = (int)number;
    return *count == number ? STATUS_OK : FAIL(STATUS_BAD_ARGUMENT, "'%s' is not whole", word);
}

static enum status parse_policy(const char *word, struct suite *suite)
{
    if (!word || !policy_find(word))
        return FAIL(STATUS_BAD_ARGUMENT, "policy '%s' is none of quick, full, smoke",
                    word ? word : "");
    snprintf(suite->policy, sizeof(suite->policy), "%s", word);
    return STATUS_OK;
}

static enum status parse_setting(struct suite_line *line, int *count, const char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return FAIL(STATUS_BAD_ARGUMENT, "'%s' is no setting; write axis=value,value", word);
    if (strncmp(word, "kernel=", strlen("kernel=")) == 0)
        return copy_word(equals + 1, &line->kernel);
    if (*count == SUITE_MAX_SETTINGS)
        return FAIL(STATUS_BAD_ARGUMENT, "more than %d settings", SUITE_MAX_SETTINGS);
    return copy_word(word, &line->settings[(*count)++]);
}

static enum status parse_measure(char **rest, int number, struct suite *suite)
{
    const char *bench = strtok_r(NULL, SPACES, rest);
    if (!bench || strncmp(bench, "bench_", strlen("bench_")) != 0 || strchr(bench, '/'))
        return FAIL(STATUS_BAD_ARGUMENT, "'%s' is no bench; 'ridge list' shows them",
                    bench ? bench : "");
    if (suite->lines_count == SUITE_MAX_LINES)
        return FAIL(STATUS_BAD_ARGUMENT, "more than %d measure lines", SUITE_MAX_LINES);
    struct suite_line *line = &suite->lines[suite->lines_count++];
    line->number = number;
    TRY(copy_word(bench, &line->bench));
    int count = 0;
    for (char *word; (word = strtok_r(NULL, SPACES, rest));)
        TRY(parse_setting(line, &count, word));
    return STATUS_OK;
}

static enum status parse_line(char *text, int number, struct suite *suite)
{
    char *rest = NULL;
    text[strcspn(text, "#")] = '\0';
    const char *word = strtok_r(text, SPACES, &rest);
    if (!word)
        return STATUS_OK;
    if (strcmp(word, "measure") == 0)
        return parse_measure(&rest, number, suite);
    const char *argument = strtok_r(NULL, SPACES, &rest);
    const char *strange = strtok_r(NULL, SPACES, &rest);
    if (strange)
        return FAIL(STATUS_BAD_ARGUMENT, "'%s' is one word too many", strange);
    if (strcmp(word, "policy") == 0)
        return parse_policy(argument, suite);
    if (strcmp(word, "seconds") == 0)
        return parse_number(argument, 86400, &suite->case_seconds);
    if (strcmp(word, "rounds") == 0)
        return parse_count(argument, MOST_ROUNDS, &suite->rounds);
    if (strcmp(word, "points") == 0)
        return parse_count(argument, MOST_POINTS, &suite->most_points);
    return FAIL(STATUS_BAD_ARGUMENT,
                "'%s' begins no line; use policy, seconds, rounds, points or measure", word);
}

static enum status parse_lines(char *text, const char *path, struct suite *suite)
{
    int number = 1;
    for (char *next; text; text = next, number++) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        enum status status = parse_line(text, number, suite);
        if (status != STATUS_OK)
            return FAIL(status, "%s:%d: %s", path, number, error_message());
    }
    if (suite->lines_count == 0)
        return FAIL(STATUS_BAD_ARGUMENT, "%s: measures nothing; it needs a 'measure' line", path);
    return STATUS_OK;
}

static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
}

enum status suite_parse(const char *text, const char *path, struct suite *suite)
{
    *suite = (struct suite){.policy = "quick"};
    name_of(path, suite->name, sizeof(suite->name));
    suite->lines = calloc(SUITE_MAX_LINES, sizeof(*suite->lines));
    suite->path = strdup(path);
    suite->text = strdup(text);
    char *cut = strdup(text);
    enum status status = suite->lines && suite->path && suite->text && cut
                             ? parse_lines(cut, path, suite)
                             : FAIL(STATUS_NO_MEMORY, "no memory for suite %s", path);
    free(cut);
    if (status != STATUS_OK)
        suite_clear(suite);
    return status;
}

static enum status read_text(FILE *file, const char *path, char **text)
{
    *text = malloc(MOST_BYTES + 1);
    if (!*text)
        return FAIL(STATUS_NO_MEMORY, "no memory for suite %s", path);
    size_t length = fread(*text, 1, MOST_BYTES + 1, file);
    const char *problem = ferror(file)               ? strerror(errno)
                          : length > MOST_BYTES      ? "it is larger than 1 MiB"
                          : memchr(*text, 0, length) ? "it holds a zero byte, so it is no text"
                                                     : NULL;
    if (problem) {
        free(*text);
        return FAIL(STATUS_BAD_ARGUMENT, "cannot read suite %s: %s", path, problem);
    }
    (*text)[length] = '\0';
    return STATUS_OK;
}

enum status suite_read(const char *name, struct suite *suite)
{
    char path[4096], known[512], *text;
    bool is_path = strchr(name, '/') || strchr(name, '.');
    if (is_path)
        snprintf(path, sizeof(path), "%s", name);
    else
        places_suite(name, path, sizeof(path));
    FILE *file = fopen(path, "re");
    if (!file && is_path)
        return FAIL(STATUS_BAD_ARGUMENT, "cannot read suite %s: %s", path, strerror(errno));
    if (!file)
        return FAIL(STATUS_BAD_ARGUMENT, "no suite '%s'; there are: %s (or give a file's path)",
                    name, places_suites(known, sizeof(known)));
    enum status status = read_text(file, path, &text);
    fclose(file);
    TRY(status);
    status = suite_parse(text, path, suite);
    free(text);
    return status;
}
