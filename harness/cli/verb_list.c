/* ridge list: what can be measured here, and the suites that measure it. */
#include "harness/cli/arguments.h"
#include "harness/cli/verb.h"
#include "harness/drive/child.h"
#include "harness/drive/places.h"

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

struct listing {
    bool as_json;
    json_t *benches; /* array of descriptions */
    enum status status;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "NAME", 0, "text (default) or json", 0}, {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct listing *listing = state->input;
    if (key != 'f')
        return arguments_none(key, arg, state);
    listing->as_json = arguments_is_json(arg, state);
    return 0;
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse_option,
    .doc = "Lists the benches with their axes and kernels, and the suites.",
};

static void describe(void *arg, const char *name)
{
    struct listing *listing = arg;
    char folder[PATH_BYTES], path[PATH_BYTES + 64], *text;
    snprintf(path, sizeof(path), "%s/%s", places_programs(folder, sizeof(folder)), name);
    const char *const argv[] = {path, "--describe", NULL};
    enum status status = child_ask(argv, &text);
    json_t *object = status == STATUS_OK ? json_loads(text, 0, NULL) : NULL;
    if (object)
        json_array_append_new(listing->benches, object);
    else
        listing->status = FAIL(STATUS_CHILD, "%s does not describe itself; rebuild it", name);
    if (status == STATUS_OK)
        free(text);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_bench(const json_t *bench)
{
    size_t i, k;
    const json_t *item, *choice;
    printf("%s: %s\n", text_of(bench, "name"), text_of(bench, "question"));
    json_array_foreach(json_object_get(bench, "axes"), i, item)
    {
        printf("  --set %s=%s", text_of(item, "name"), text_of(item, "values"));
        json_array_foreach(json_object_get(item, "choices"), k, choice)
            printf("%s%s", k ? "|" : "  of ", json_string_value(choice));
        printf("\n      %s\n", text_of(item, "meaning"));
    }
    json_array_foreach(json_object_get(json_object_get(bench, "kernels"), "cpu"), i, item)
        printf("  --kernel %s: %s\n", text_of(item, "name"), text_of(item, "idea"));
}

static enum status run(int argc, char **argv)
{
    struct listing listing = {.benches = json_array()};
    char suites[1024];
    size_t i;
    const json_t *bench;
    argp_parse(&argp, argc, argv, 0, NULL, &listing);
    places_suites(suites, sizeof(suites));
    places_benches(describe, &listing);
    if (listing.as_json) {
        json_t *all = json_pack("{s:O, s:s}", "benches", listing.benches, "suites", suites);
        json_dumpf(all, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        putchar('\n');
        json_decref(all);
    } else {
        json_array_foreach(listing.benches, i, bench) print_bench(bench);
        printf("suites: %s\n", suites);
    }
    json_decref(listing.benches);
    return listing.status;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "what can be measured here, and the suites that measure it",
    .run = run,
};
