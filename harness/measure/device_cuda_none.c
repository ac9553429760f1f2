/* The cuda backend of a build without CUDA: it says so, and how to get one that has it. */
#include "harness/measure/backend.h"

#include <stdio.h>

static const char NO_CUDA[] =
    "this build has no CUDA: put nvcc on PATH (CUDA 12 or 13) and build again by 'cmake --preset "
    "native && cmake --build --preset native'";

static void none_list(device_visit visit, void *arg)
{
    struct device_finding finding = {.name = "cuda", .is_absent = true};
    snprintf(finding.reason, sizeof(finding.reason), "%s", NO_CUDA);
    visit(arg, &finding);
}

static enum status none_open(struct device *d, const struct device_options *options)
{
    (void)d;
    return FAIL(STATUS_SKIP, "no device %s: %s", options->name, NO_CUDA);
}

const struct backend cuda_backend = {.prefix = "cuda", .list = none_list, .open = none_open};
