/* The machine that a run ran on, for the store: who it is, what it claims, what was found. */
#pragma once

#include "harness/base/status.h"
#include "harness/measure/levels.h"

C_API_BEGIN

/* A JSON object in one line: identity, processors and threads, memory, clocks, settings, the
 * caches of `levels`, part of the environment, and `peculiarities`, an array of {code, sentence}.
 * What is not known is null. Takes about 0.3 s, since it watches the load of others. The caller
 * frees *json. */
enum status machine_describe(const struct levels *levels, char **json);

/* Sets "devices" of such an object to `devices_json`, an array of what stands beside the processor
 * (devices.h); nothing for NULL. *json is replaced. */
enum status machine_add_devices(char **json, const char *devices_json);

/* hwloc's topology of this machine as XML, which hwloc loads again elsewhere. The caller frees
 * *xml. */
enum status machine_topology_xml(char **xml);

C_API_END
