/* No --set text may crash the axis parser, and every accepted value is one that can be used. */
#include "harness/measure/axis.h"

#include <stdlib.h>
#include <string.h>

struct state {
    int64_t bytes, threads, op;
};

static const char *const ops[] = {"copy", "triad", NULL};
static const struct axis axes[] = {
    AXIS(struct state, bytes, AXIS_BYTES, "4Ki", "size"),
    AXIS(struct state, threads, AXIS_THREADS, "all", "threads"),
    AXIS_NAMES(struct state, op, ops, "copy", "operation"),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct levels levels = {.count = 1, .level = {{.name = "L1", .capacity_bytes = 32768}}};
    const struct axis_context context = {.levels = &levels, .thread_count = 8};
    struct axis_values values;
    char *text = malloc(size + 1);
    if (!text || size == 0) {
        free(text);
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const struct axis *axis = &axes[data[0] % 3];
    if (axis_parse(axis, &context, text, &values) == STATUS_OK) {
        if (values.count == 0 || values.count > AXIS_MAX_VALUES)
            abort();
        for (size_t i = 0; i < values.count; i++)
            if (axis->kind == AXIS_CHOICE ? values.value[i] > 1 : values.value[i] < 1)
                abort();
    }
    free(text);
    return 0;
}
