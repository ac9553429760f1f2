/* A device with scripted times and fixed levels: what is built on it does not depend on the
 * machine that tests it. */
#pragma once

#include "harness/measure/backend.h"
#include "tests/unit/test.h"

#define FAKE_LEVELS "L1=32768,L2=1048576,L3=33554432*"

/* `script` as in "fake:1e-3,2e-3". The caller closes it. */
static inline struct device *fake_device_open(const char *script)
{
    const struct device_options options = {.name = script, .levels = FAKE_LEVELS};
    struct device *device = NULL;
    assert_int_equal(device_open(&options, &device), STATUS_OK);
    return device;
}
