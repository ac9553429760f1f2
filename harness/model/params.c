#include "harness/model/params.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

const char *params_text(const struct record *point, const char *name, char *buffer, size_t size)
{
    json_t *params = json_loads(point->params, 0, NULL);
    const char *text = json_string_value(json_object_get(params, name));
    snprintf(buffer, size, "%s", text ? text : "");
    json_decref(params);
    return buffer;
}

double params_number(const struct record *point, const char *name, double otherwise)
{
    json_t *params = json_loads(point->params, 0, NULL);
    const json_t *value = json_object_get(params, name);
    double number = json_is_number(value) ? json_number_value(value) : otherwise;
    json_decref(params);
    return number;
}

bool params_is_control(const struct record *point)
{
    return strstr(point->params, "\"beside\":") != NULL;
}

bool params_is_product(const struct record *point)
{
    char op[32];
    return !strstr(point->params, "\"fmas\":") && !params_text(point, "op", op, sizeof(op))[0];
}
