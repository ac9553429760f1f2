#include "harness/record/json_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text_repair(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c > 127)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

enum status json_text_parse_object(const char *what, const char *text, json_t **object)
{
    json_error_t error;
    *object = json_loads(text ? text : "{}", JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(*object))
        return STATUS_OK;
    const char *why = *object ? "it is another value" : error.text;
    json_decref(*object);
    *object = NULL;
    return FAIL(STATUS_BAD_ARGUMENT, "%s is no JSON object: %s", what, why);
}

/* From the opening quote of a string to its closing one. */
static const char *string_end(const char *quote)
{
    const char *c = quote + 1;
    while (*c != '"')
        c += *c == '\\' ? 2 : 1;
    return c;
}

static int depth_change(char c)
{
    return (c == '{' || c == '[') - (c == '}' || c == ']');
}

const char *json_text_member(const char *text, const char *end, const char *key)
{
    size_t length = strlen(key);
    int depth = 0;
    char before = '\0'; /* the last character that is no white space */
    for (const char *c = text; c < end; c++) {
        if (isspace((unsigned char)*c))
            continue;
        depth += depth_change(*c);
        if (*c == '"') {
            const char *close = string_end(c);
            bool is_key = depth == 1 && before != ':';
            if (is_key && (size_t)(close - c - 1) == length && memcmp(c + 1, key, length) == 0)
                return close + 1 + strspn(close + 1, " \t\r\n:");
            c = close;
        }
        before = *c;
    }
    return NULL;
}

size_t json_text_object_length(const char *text)
{
    int depth = 0;
    const char *c = text;
    do {
        if (*c == '"')
            c = string_end(c);
        depth += depth_change(*c);
        c++;
    } while (depth > 0);
    return (size_t)(c - text);
}

size_t json_text_compact(const char *text, size_t length, char *to, size_t room)
{
    size_t used = 0;
    bool inside = false, escaped = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (!inside && isspace((unsigned char)c))
            continue;
        if (used + 1 < room)
            to[used] = c;
        used++;
        if (c == '"' && !escaped)
            inside = !inside;
        escaped = inside && c == '\\' && !escaped;
    }
    to[used < room ? used : room - 1] = '\0';
    return used;
}
