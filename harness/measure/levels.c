#include "harness/measure/levels.h"

#include "harness/base/units.h"
#include "harness/measure/levels_internal.h"
#include "harness/measure/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Used where neither sysfs nor CPUID says anything: the smallest L1 and a middling L2 of the
 * processors of the last ten years, so that what is meant for a cache surely fits. */
static const int64_t fallback_bytes[] = {KIB(32), MIB(1)};

enum { CACHE_INDEX_MAX = 10, FALLBACK_COUNT = sizeof(fallback_bytes) / sizeof(fallback_bytes[0]) };

/* "32K", "1024K", "32M" as sysfs writes sizes; 0 for anything else. */
static int64_t parse_size(const char *text)
{
    char *end;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || value <= 0)
        return 0;
    switch (*end) {
    case 'K': return KIB(value);
    case 'M': return MIB(value);
    case 'G': return GIB(value);
    case '\0': return value;
    default: return 0;
    }
}

/* A cache serves several cores where more processors share it than share its first core. */
static int32_t is_shared(const char *root, const char *cache_directory)
{
    char users[256], siblings[256], topology[512];
    snprintf(topology, sizeof(topology), "%s/cpu0/topology", root);
    if (text_file_line(cache_directory, "shared_cpu_list", users, sizeof(users)) <= 0)
        return 0;
    if (text_file_line(topology, "thread_siblings_list", siblings, sizeof(siblings)) <= 0)
        snprintf(siblings, sizeof(siblings), "0");
    return strcmp(users, siblings) != 0;
}

/* Enters one cache of sysfs, unless it holds instructions only. */
static void read_claim(const char *root, int index, struct level level[LEVELS_MAX])
{
    char directory[512], text[64];
    snprintf(directory, sizeof(directory), "%s/cpu0/cache/index%d", root, index);
    if (text_file_line(directory, "type", text, sizeof(text)) <= 0 ||
        strcmp(text, "Instruction") == 0)
        return;
    text_file_line(directory, "level", text, sizeof(text));
    int number = atoi(text);
    if (number < 1 || number > LEVELS_MAX)
        return;
    text_file_line(directory, "size", text, sizeof(text));
    level[number - 1].claimed_bytes = parse_size(text);
    level[number - 1].shared = is_shared(root, directory);
}

static void append(struct levels *levels, const struct level *from, int number)
{
    struct level *level = &levels->level[levels->count++];
    *level = *from;
    snprintf(level->name, sizeof(level->name), "L%d", number);
    level->capacity_bytes = level->claimed_bytes;
}

void levels_claimed_at(const char *root, const int64_t cpuid_bytes[LEVELS_MAX],
                       struct levels *levels)
{
    struct level found[LEVELS_MAX] = {0};
    for (int i = 0; i < CACHE_INDEX_MAX; i++)
        read_claim(root, i, found);
    memset(levels, 0, sizeof(*levels));
    for (int i = 0; i < LEVELS_MAX; i++) {
        found[i].cpuid_bytes = cpuid_bytes[i] > 0 ? cpuid_bytes[i] : 0;
        if (!found[i].claimed_bytes) {
            found[i].claimed_bytes = found[i].cpuid_bytes;
            found[i].shared = i >= 2; /* CPUID does not tell us; an L3 is shared nearly always */
        }
        if (found[i].claimed_bytes)
            append(levels, &found[i], i + 1);
    }
    for (int i = 0; levels->count == i && i < FALLBACK_COUNT; i++) {
        append(levels, &(struct level){0}, i + 1);
        levels->level[i].capacity_bytes = fallback_bytes[i];
    }
}

void levels_claimed(struct levels *levels)
{
    const int64_t cpuid_bytes[LEVELS_MAX] = {
        sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE),
        sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL4_CACHE_SIZE)};
    levels_claimed_at("/sys/devices/system/cpu", cpuid_bytes, levels);
}

int64_t levels_last_bytes(const struct levels *levels)
{
    return levels->count ? levels->level[levels->count - 1].capacity_bytes : 0;
}

int levels_find(const struct levels *levels, const char *name)
{
    if (strcmp(name, "LLC") == 0)
        return levels->count - 1;
    for (int i = 0; i < levels->count; i++)
        if (strcmp(levels->level[i].name, name) == 0)
            return i;
    return -1;
}

const char *levels_format(const struct levels *levels, char *buffer, int size)
{
    int used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < levels->count && used < size; i++) {
        const struct level *level = &levels->level[i];
        used += snprintf(buffer + used, (size_t)(size - used), "%s%s=%" PRId64 "%s", i ? "," : "",
                         level->name, level->capacity_bytes, level->shared ? "*" : "");
    }
    return buffer;
}

/* Reads one "L2=1048576*" and moves *text behind it; false where it is not one. */
static int parse_level(const char **text, struct level *level)
{
    const char *at = *text;
    if (at[0] != 'L' || at[1] < '1' || at[1] > '0' + LEVELS_MAX || at[2] != '=' ||
        !isdigit((unsigned char)at[3]))
        return 0;
    char *end;
    errno = 0;
    level->capacity_bytes = strtoll(at + 3, &end, 10);
    if (errno || level->capacity_bytes <= 0)
        return 0;
    snprintf(level->name, sizeof(level->name), "%.2s", at);
    level->shared = *end == '*';
    *text = end + level->shared;
    return 1;
}

enum status levels_parse(const char *text, struct levels *levels)
{
    const char *at = text;
    struct levels parsed = {0};
    for (;; at++) {
        if (parsed.count == LEVELS_MAX)
            return FAIL(STATUS_BAD_ARGUMENT, "'%s' lists more than %d caches", text, LEVELS_MAX);
        struct level *level = &parsed.level[parsed.count];
        if (!parse_level(&at, level))
            return FAIL(STATUS_BAD_ARGUMENT,
                        "cache levels '%s' cannot be read at '%s': write them in bytes, as in "
                        "L1=32768,L2=1048576,L3=33554432* (the star marks a shared one)",
                        text, at);
        if (parsed.count && (strcmp(level[-1].name, level->name) >= 0 ||
                             level[-1].capacity_bytes >= level->capacity_bytes))
            return FAIL(STATUS_BAD_ARGUMENT,
                        "cache levels '%s': %s must be larger than %s and stand behind it", text,
                        level->name, level[-1].name);
        parsed.count++;
        if (*at != ',')
            break;
    }
    if (*at)
        return FAIL(STATUS_BAD_ARGUMENT, "cache levels '%s' go on with '%s' where a comma is due",
                    text, at);
    *levels = parsed;
    return STATUS_OK;
}

const char *levels_place(const struct levels *levels, double total_bytes, int thread_count)
{
    static const double MOST_OF_PRIVATE = 0.75, MOST_OF_SHARED = 0.6, ABOVE_LOWER = 1.5;
    static const double TIMES_LAST = 4;
    double part_bytes = total_bytes / (thread_count > 0 ? thread_count : 1), below = 0;
    for (int i = 0; i < levels->count; i++) {
        const struct level *level = &levels->level[i];
        double capacity = (double)level->capacity_bytes;
        bool fits = level->shared ? total_bytes <= MOST_OF_SHARED * capacity
                                  : part_bytes <= MOST_OF_PRIVATE * capacity;
        if (fits)
            return part_bytes >= ABOVE_LOWER * below ? level->name : "";
        below = capacity;
    }
    return levels->count && total_bytes >= TIMES_LAST * below ? "memory" : "";
}
