/* A directory of a test's own that stands for /sys: made, filled with small files, removed. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_files {
    char root[64];
};

static inline void fake_files_open(struct fake_files *files)
{
    snprintf(files->root, sizeof(files->root), "/tmp/ridge-test-XXXXXX");
    if (!mkdtemp(files->root))
        abort();
}

/* Writes root/path, making the directories on the way. */
static inline void fake_files_put(struct fake_files *files, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof(full), "%s/%s", files->root, path);
    for (char *slash = full + strlen(files->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static inline int fake_files_unlink(const char *path, const struct stat *stat, int type,
                                    struct FTW *position)
{
    (void)stat, (void)type, (void)position;
    return remove(path);
}

static inline void fake_files_close(struct fake_files *files)
{
    nftw(files->root, fake_files_unlink, 16, FTW_DEPTH | FTW_PHYS);
}
