#include "harness/measure/axis.h"

#include "harness/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024, LINE_BYTES = 64 };
static const double SMALLEST_FACTOR = 1.01;          /* less would be a range without end */
static const double LARGEST = 4611686018427387904.0; /* 2^62: the sum of two still fits */

static enum status parse_choice(const struct axis *axis, const char *word, int64_t *value)
{
    char known[256] = "";
    for (int64_t i = 0; axis->choices[i]; i++) {
        if (strcmp(axis->choices[i], word) == 0) {
            *value = i;
            return STATUS_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", axis->choices[i]);
    }
    return FAIL(STATUS_BAD_ARGUMENT, "'%s' is no value of axis %s; it has: %s", word, axis->name,
                known);
}

/* What one unit of the suffix is in bytes; 0: no such suffix. A level's capacity is real only on
 * the machine that runs this, so its multiples are cut to whole cache lines. */
static double suffix_scale(const char *suffix, const struct axis_context *context, int *is_level)
{
    static const struct {
        const char *suffix;
        double scale;
    } scales[] = {{"", 1},
                  {"Ki", (double)KIB(1)},
                  {"Mi", (double)MIB(1)},
                  {"Gi", (double)GIB(1)},
                  {"Ti", (double)GIB(1024)}};
    *is_level = 0;
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
        if (strcmp(suffix, scales[i].suffix) == 0)
            return scales[i].scale;
    int level = context->levels ? levels_find(context->levels, suffix) : -1;
    *is_level = level >= 0;
    return level < 0 ? 0 : (double)context->levels->level[level].capacity_bytes;
}

static const char *expected_form(const struct axis *axis)
{
    return axis->kind == AXIS_BYTES ? "a number of bytes such as 4096, 64Ki, 1.5Mi, 0.5L1 or 4LLC"
           : axis->kind == AXIS_THREADS ? "a number of threads, or all"
                                        : "a whole number";
}

static enum status parse_number(const struct axis *axis, const struct axis_context *context,
                                const char *word, int64_t *value)
{
    if (axis->kind == AXIS_THREADS && strcmp(word, "all") == 0) {
        *value = context->thread_count;
        return STATUS_OK;
    }
    char *end = NULL;
    double number = word[0] == 'L' ? 1 : strtod(word, &end);
    if (word[0] == 'L')
        end = (char *)word;
    int is_level, digits_only = strspn(word, "0123456789.") == (size_t)(end - word);
    double scale = suffix_scale(end, context, &is_level);
    if (!digits_only || (end == word && !is_level) || scale == 0 ||
        (axis->kind != AXIS_BYTES && *end != '\0'))
        return FAIL(STATUS_BAD_ARGUMENT, "%s: '%s' is not %s", axis->name, word,
                    expected_form(axis));
    double product = number * scale;
    if (is_level)
        product = floor(product / LINE_BYTES) * LINE_BYTES;
    if (!(product >= 1) || product > LARGEST || product != floor(product))
        return FAIL(STATUS_BAD_ARGUMENT, "%s: '%s' must be a whole number from 1 to 2^62",
                    axis->name, word);
    if (axis->kind == AXIS_THREADS && product > context->thread_count)
        return FAIL(STATUS_BAD_ARGUMENT, "%s=%s, but only %d can be used here", axis->name, word,
                    context->thread_count);
    *value = (int64_t)product;
    return STATUS_OK;
}

/* "m x n x k" without the spaces, or one number for all three. */
static enum status parse_shape(const struct axis *axis, const char *word, int64_t *value)
{
    int64_t side[3] = {0};
    const char *rest = word;
    int sides = 0;
    for (; sides < 3 && *rest >= '0' && *rest <= '9'; sides++) {
        char *end;
        side[sides] = strtoll(rest, &end, 10);
        rest = *end == 'x' && sides < 2 ? end + 1 : end;
    }
    if (*rest || (sides != 1 && sides != 3))
        return FAIL(STATUS_BAD_ARGUMENT,
                    "%s: '%s' is no shape: write m x n x k as 256x8x4096, or 1024 for a cube",
                    axis->name, word);
    for (int i = 0; i < sides; i++)
        if (side[i] < 1 || side[i] > AXIS_SHAPE_MOST)
            return FAIL(STATUS_BAD_ARGUMENT, "%s: each side of '%s' must be from 1 to %d",
                        axis->name, word, AXIS_SHAPE_MOST);
    *value =
        sides == 1 ? axis_shape(side[0], side[0], side[0]) : axis_shape(side[0], side[1], side[2]);
    return STATUS_OK;
}

static enum status add_value(const struct axis *axis, struct axis_values *values, int64_t value)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return STATUS_OK;
    if (values->count == AXIS_MAX_VALUES)
        return FAIL(STATUS_BAD_ARGUMENT, "axis %s has over %d values", axis->name, AXIS_MAX_VALUES);
    values->value[values->count++] = value;
    return STATUS_OK;
}

/* "first..last*factor"; word is cut in place. */
static enum status parse_range(const struct axis *axis, const struct axis_context *context,
                               char *word, struct axis_values *values)
{
    char *dots = strstr(word, ".."), *star = strchr(dots, '*');
    if (!star)
        return FAIL(STATUS_BAD_ARGUMENT, "%s: range '%s' lacks its factor (first..last*2)",
                    axis->name, word);
    *dots = *star = '\0';
    char *end;
    double factor = strtod(star + 1, &end);
    if (*end != '\0' || !(factor >= SMALLEST_FACTOR) || factor > 1e6)
        return FAIL(STATUS_BAD_ARGUMENT, "%s: range factor '%s' must be a number from 1.01 to 1e6",
                    axis->name, star + 1);
    int64_t first, last;
    TRY(parse_number(axis, context, word, &first));
    TRY(parse_number(axis, context, dots + 2, &last));
    if (last < first)
        return FAIL(STATUS_BAD_ARGUMENT, "%s: range ends at %s, below its start %s", axis->name,
                    dots + 2, word);
    double value = (double)first;
    const double largest = axis->kind == AXIS_SHAPE ? AXIS_SHAPE_MOST : LARGEST;
    for (;; value *= factor) {
        if (value > largest)
            return FAIL(STATUS_BAD_ARGUMENT, "%s: the range from %s passes 2^%d", axis->name, word,
                        axis->kind == AXIS_SHAPE ? AXIS_SHAPE_BITS : 62);
        int64_t reached = (int64_t)llround(value);
        if (axis->kind == AXIS_THREADS && reached > last)
            reached = last; /* there are no more than that */
        if (axis->kind == AXIS_SHAPE)
            reached = axis_shape(reached, reached, reached);
        TRY(add_value(axis, values, reached));
        if (value >= (double)last)
            return STATUS_OK;
    }
}

enum status axis_parse(const struct axis *axis, const struct axis_context *context,
                       const char *text, struct axis_values *values)
{
    char words[TEXT_BYTES];
    if ((size_t)snprintf(words, sizeof(words), "%s", text) >= sizeof(words))
        return FAIL(STATUS_BAD_ARGUMENT, "%s: more than %d characters of values", axis->name,
                    TEXT_BYTES);
    values->count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (axis->kind != AXIS_CHOICE && strstr(word, "..")) {
            TRY(parse_range(axis, context, word, values));
            continue;
        }
        int64_t value = 0;
        TRY(axis->kind == AXIS_CHOICE  ? parse_choice(axis, word, &value)
            : axis->kind == AXIS_SHAPE ? parse_shape(axis, word, &value)
                                       : parse_number(axis, context, word, &value));
        TRY(add_value(axis, values, value));
    }
    if (values->count == 0)
        return FAIL(STATUS_BAD_ARGUMENT, "axis %s is given no value", axis->name);
    return STATUS_OK;
}

const char *axis_label(const struct axis *axis, int64_t value, char *buffer, size_t size)
{
    if (axis->kind == AXIS_CHOICE)
        return axis->choices[value];
    if (axis->kind == AXIS_SHAPE)
        snprintf(buffer, size, "%" PRId64 "x%" PRId64 "x%" PRId64, axis_shape_m(value),
                 axis_shape_n(value), axis_shape_k(value));
    else
        snprintf(buffer, size, "%" PRId64, value);
    return buffer;
}
