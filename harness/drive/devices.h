/* Which devices a run sweeps: a list as "cpu,cuda:0,cuda:1", one after the other. */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { DEVICES_NAME_BYTES = 128, DEVICES_MOST = 64 };

/* A device, or a kind of them, as a bench told of it. */
struct devices_finding {
    char name[32], model[96], pci_bus_id[20], reason[400]; /* see device_finding */
    bool is_absent;
    char *json; /* owned: all that the bench told; NULL for the cpu, which /machines describes */
};

struct devices {
    struct devices_finding found[DEVICES_MOST];
    int count;
};

C_API_BEGIN

/* Asks a bench (its path) what --device could name. devices_clear also after failure. */
enum status devices_ask(const char *program, struct devices *devices);
void devices_clear(struct devices *devices);

/* The GPUs that can be used, as a JSON array for the store; the caller frees. NULL: none. */
char *devices_json(const struct devices *devices);

/* Are the GPUs those of the run that is to go on (its machine_json)? STATUS_BAD_ARGUMENT names the
 * first that is another one now: two GPUs must not share a name in one file. One that is gone is
 * left to planning. */
enum status devices_same(const struct devices *devices, const char *machine_json);

/* Writes the list of all that can be used to `list`, and says on standard error, unless `is_quiet`,
 * what is there and cannot be used, and why. "" where there is only the cpu, which needs no naming.
 */
void devices_choose(const struct devices *devices, bool is_quiet, char *list, size_t size);

/* Takes the first name off the list; NULL where none is left. Names end at a comma before a letter:
 * the times of "fake:1e-3,2e-3" stay together. */
const char *devices_next(const char *list, char name[DEVICES_NAME_BYTES]);

C_API_END
