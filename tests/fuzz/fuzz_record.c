/* Fuzzes the record's parser. No input may crash it, and what it accepts must be written to a line
 * that is accepted again and written to the very same line. */
#include "harness/record/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* abort() is how a fuzz target says that it found something. */
static void expect(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct record first, second;
    char *line, *again;
    char *text =
        malloc(size ? size : 1); /* of this size exactly, so that reading beyond it is seen */
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    enum status status = record_from_json(text, size, &first);
    free(text);
    if (status != STATUS_OK) {
        expect(first.samples == NULL && first.samples_count == 0);
        return 0;
    }
    expect(record_to_json(&first, &line) == STATUS_OK);
    expect(record_from_json(line, strlen(line), &second) == STATUS_OK);
    expect(record_to_json(&second, &again) == STATUS_OK);
    expect(strcmp(line, again) == 0 && first.samples_count == second.samples_count);
    free(line);
    free(again);
    record_clear(&first);
    record_clear(&second);
    return 0;
}
