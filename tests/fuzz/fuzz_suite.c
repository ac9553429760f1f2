/* No text may crash the suite parser, and what it accepts must hold what was promised. */
#include "harness/drive/suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct suite suite;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (suite_parse(text, "fuzz.suite", &suite) == STATUS_OK) {
        if (suite.lines_count == 0 || suite.rounds < 0 || suite.case_seconds < 0)
            abort();
        for (size_t i = 0; i < suite.lines_count; i++)
            if (strncmp(suite.lines[i].bench, "bench_", 6) != 0)
                abort();
        suite_clear(&suite);
    } else if (!*error_message()) {
        abort();
    }
    free(text);
    return 0;
}
