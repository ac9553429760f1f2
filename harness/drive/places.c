#include "harness/drive/places.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SUITE_ENDING[] = ".suite", BENCH_PREFIX[] = "bench_";

const char *places_programs(char *buffer, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    snprintf(buffer, size, "%s", slash ? path : ".");
    return buffer;
}

static int has_suites(const char *folder)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/suites", folder);
    return access(path, R_OK) == 0;
}

const char *places_data(char *buffer, size_t size)
{
    static const char *const from_programs[] = {"../share/ridge", "../../..", "../.."};
    char programs[PATH_MAX];
    const char *chosen = getenv("RIDGE_DATA");
    if (chosen) {
        snprintf(buffer, size, "%s", chosen);
        return buffer;
    }
    places_programs(programs, sizeof(programs));
    for (size_t i = 0; i < sizeof(from_programs) / sizeof(from_programs[0]); i++) {
        snprintf(buffer, size, "%s/%s", programs, from_programs[i]);
        if (has_suites(buffer))
            return buffer;
    }
    buffer[0] = '\0';
    return buffer;
}

const char *places_suite(const char *name, char *buffer, size_t size)
{
    char data[PATH_MAX];
    snprintf(buffer, size, "%s/suites/%s%s", places_data(data, sizeof(data)), name, SUITE_ENDING);
    return buffer;
}

static int is_suite(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(SUITE_ENDING);
    return length > ending && strcmp(entry->d_name + length - ending, SUITE_ENDING) == 0;
}

static int is_bench(const struct dirent *entry)
{
    return strncmp(entry->d_name, BENCH_PREFIX, strlen(BENCH_PREFIX)) == 0 &&
           !strchr(entry->d_name, '.');
}

const char *places_suites(char *buffer, size_t size)
{
    char folder[PATH_MAX], data[PATH_MAX - 16];
    struct dirent **entries = NULL;
    snprintf(folder, sizeof(folder), "%s/suites", places_data(data, sizeof(data)));
    int count = scandir(folder, &entries, is_suite, alphasort);
    size_t used = 0;
    snprintf(buffer, size, "%s", count > 0 ? "" : "none");
    for (int i = 0; i < count; i++) {
        int length = (int)(strlen(entries[i]->d_name) - strlen(SUITE_ENDING));
        if (used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%.*s", i ? ", " : "", length,
                                     entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return buffer;
}

int places_benches(void (*visit)(void *arg, const char *name), void *arg)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    int count = scandir(places_programs(folder, sizeof(folder)), &entries, is_bench, alphasort);
    for (int i = 0; i < count; i++) {
        visit(arg, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count > 0 ? count : 0;
}
