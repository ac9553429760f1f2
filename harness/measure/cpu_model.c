#include "harness/measure/cpu_model.h"

#include <stdio.h>
#include <string.h>

void cpu_model(char *model, size_t size)
{
    char line[512];
    snprintf(model, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    while (fgets(line, sizeof(line), file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", strlen("model name")) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(model, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    fclose(file);
}
