#include "harness/measure/text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t text_file_read(const char *path, char *buffer, size_t size)
{
    buffer[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    size_t length = fread(buffer, 1, size - 1, file);
    int failed = ferror(file);
    fclose(file);
    buffer[failed ? 0 : length] = '\0';
    return failed ? -1 : (int64_t)length;
}

int64_t text_file_line(const char *directory, const char *name, char *buffer, size_t size)
{
    char path[1024];
    buffer[0] = '\0';
    int needed = snprintf(path, sizeof(path), "%s/%s", directory, name);
    if (needed < 0 || (size_t)needed >= sizeof(path) || text_file_read(path, buffer, size) < 0)
        return -1;
    buffer[strcspn(buffer, "\n")] = '\0';
    return (int64_t)strlen(buffer);
}

int64_t text_file_kib_value(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    if (!found)
        return 0;
    found += strlen(key);
    found += strspn(found, ": \t");
    return (int64_t)strtoll(found, NULL, 10) * 1024;
}
