#include "harness/drive/devices.h"

#include "harness/drive/child.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(const json_t *object, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));
    snprintf(text, size, "%s", value ? value : "");
}

static enum status take_line(const char *line, size_t length, struct devices *devices)
{
    json_t *object = json_loadb(line, length, 0, NULL);
    if (!object)
        return FAIL(STATUS_CHILD, "a bench's --devices gave what is no JSON: '%.*s'",
                    (int)(length < 80 ? length : 80), line);
    struct devices_finding *finding = &devices->found[devices->count++];
    copy_text(object, "device", finding->name, sizeof(finding->name));
    copy_text(object, "model", finding->model, sizeof(finding->model));
    copy_text(object, "reason", finding->reason, sizeof(finding->reason));
    copy_text(object, "pci_bus_id", finding->pci_bus_id, sizeof(finding->pci_bus_id));
    finding->is_absent = json_is_true(json_object_get(object, "absent"));
    json_object_del(object, "reason");
    json_object_del(object, "absent");
    if (finding->pci_bus_id[0])
        finding->json = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return STATUS_OK;
}

enum status devices_ask(const char *program, struct devices *devices)
{
    const char *const argv[] = {program, "--devices", NULL};
    char *output;
    enum status status = STATUS_OK;
    *devices = (struct devices){0};
    TRY(child_ask(argv, &output));
    for (const char *line = output; *line && status == STATUS_OK;) {
        const size_t length = strcspn(line, "\n");
        if (devices->count < DEVICES_MOST)
            status = take_line(line, length, devices);
        line += length + (line[length] == '\n');
    }
    free(output);
    return status;
}

void devices_clear(struct devices *devices)
{
    for (int i = 0; i < devices->count; i++)
        free(devices->found[i].json);
    *devices = (struct devices){0};
}

char *devices_json(const struct devices *devices)
{
    json_t *array = json_array();
    for (int i = 0; i < devices->count; i++)
        if (devices->found[i].json && !devices->found[i].reason[0])
            json_array_append_new(array, json_loads(devices->found[i].json, 0, NULL));
    char *json = json_array_size(array) ? json_dumps(array, JSON_COMPACT) : NULL;
    json_decref(array);
    return json;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static enum status compare_device(const json_t *before, const json_t *now)
{
    static const char *const keys[] = {"model", "pci_bus_id", "compute_capability"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(text_at(before, keys[i]), text_at(now, keys[i])) != 0)
            return FAIL(STATUS_BAD_ARGUMENT,
                        "%s is now %s, %s, compute capability %s; the run began on %s, %s, %s: go "
                        "on where it began, with the same CUDA_VISIBLE_DEVICES, or begin a new run",
                        text_at(now, "device"), text_at(now, "model"), text_at(now, "pci_bus_id"),
                        text_at(now, "compute_capability"), text_at(before, "model"),
                        text_at(before, "pci_bus_id"), text_at(before, "compute_capability"));
    return STATUS_OK;
}

enum status devices_same(const struct devices *devices, const char *machine_json)
{
    json_t *machine = json_loads(machine_json ? machine_json : "{}", 0, NULL), *before;
    enum status status = STATUS_OK;
    size_t k;
    for (int i = 0; status == STATUS_OK && i < devices->count; i++) {
        json_t *now = json_loads(devices->found[i].json ? devices->found[i].json : "{}", 0, NULL);
        json_array_foreach(json_object_get(machine, "devices"), k, before)
        {
            if (status == STATUS_OK &&
                strcmp(text_at(before, "device"), text_at(now, "device")) == 0)
                status = compare_device(before, now);
        }
        json_decref(now);
    }
    json_decref(machine);
    return status;
}

void devices_choose(const struct devices *devices, bool is_quiet, char *list, size_t size)
{
    size_t used = 0;
    int usable = 0;
    list[0] = '\0';
    for (int i = 0; i < devices->count; i++) {
        const struct devices_finding *finding = &devices->found[i];
        if (finding->reason[0]) {
            if (!is_quiet && !finding->is_absent)
                fprintf(stderr, "ridge: %s is not measured: %s\n", finding->name, finding->reason);
            continue;
        }
        if (used + strlen(finding->name) + 2 > size)
            break;
        used +=
            (size_t)snprintf(list + used, size - used, "%s%s", usable++ ? "," : "", finding->name);
    }
    if (usable == 1 && strcmp(list, "cpu") == 0)
        list[0] = '\0';
}

const char *devices_next(const char *list, char name[DEVICES_NAME_BYTES])
{
    size_t length = strcspn(list, ",");
    while (list[length] && !isalpha((unsigned char)list[length + 1]))
        length += 1 + strcspn(list + length + 1, ",");
    if (length == 0)
        return NULL;
    snprintf(name, DEVICES_NAME_BYTES, "%.*s", (int)length, list);
    return list + length + (list[length] == ',');
}
