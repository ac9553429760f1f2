#include "harness/base/fold.h"

#include <string.h>

enum { WIDTH = 80 };

void fold_print(FILE *file, const char *text, int column, int indent)
{
    for (int is_first = 1; *text; is_first = 0) {
        const int word = (int)strcspn(text, " ");
        if (!is_first && column + 1 + word > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            is_first = 1;
        }
        column += fprintf(file, "%s%.*s", is_first ? "" : " ", word, text);
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}
