#include "harness/measure/cpu_model.h"

#include <string.h>

/* "key\t: value\n" -> "value"; NULL where the line has another key. */
static const char *value_of(char *line, const char *key)
{
    char *colon = strchr(line, ':');
    size_t length = strlen(key);
    if (!colon || strncmp(line, key, length) != 0 ||
        line[length + strspn(line + length, " \t")] != ':')
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return colon + 1 + strspn(colon + 1, " ");
}

void cpu_model_read(FILE *cpuinfo, char *model, size_t size)
{
    char line[512], implementer[16] = "", part[16] = "";
    const char *value;
    snprintf(model, size, "unknown");
    while (fgets(line, sizeof(line), cpuinfo)) {
        if ((value = value_of(line, "model name"))) {
            snprintf(model, size, "%s", value);
            return;
        }
        if ((value = value_of(line, "CPU implementer")))
            snprintf(implementer, sizeof(implementer), "%s", value);
        else if ((value = value_of(line, "CPU part")))
            snprintf(part, sizeof(part), "%s", value);
    }
    if (implementer[0] && part[0])
        snprintf(model, size, "Arm implementer %s part %s", implementer, part);
}

void cpu_model(char *model, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(model, size, "unknown");
    if (!file)
        return;
    cpu_model_read(file, model, size);
    fclose(file);
}
