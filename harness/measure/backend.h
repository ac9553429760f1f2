/* What a backend provides. Read only by harness/measure/device*.c. */
#pragma once

#include "harness/measure/device.h"

struct device {
    const struct backend *backend;
    const struct kernel_set *kernels;
    struct device_info info;
    struct team *team; /* the host threads that fill, check and (on the cpu) compute */
    void *self;        /* the backend's own state */
};

struct backend {
    const char *prefix; /* "cpu", "fake", "cuda" */

    /* Calls visit for each device of this kind, or once with the reason why there is none. NULL:
     * not for sweeps. */
    void (*list)(device_visit visit, void *arg);
    enum status (*open)(struct device *, const struct device_options *);
    void (*close)(struct device *);
    enum status (*alloc)(struct device *, size_t, void **);
    void (*free)(struct device *, void *, size_t);
    enum status (*upload)(struct device *, void *, const void *, size_t);
    enum status (*download)(struct device *, void *, const void *, size_t);
    double (*huge_fraction)(struct device *, const void *, size_t);
    enum status (*clock_start)(struct device *);
    enum status (*clock_stop)(struct device *, double *);
    double (*core_clock_hz)(struct device *);

    /* ---- Of devices that compute apart from the team's threads; NULL or false for the others. */
    bool computes_apart; /* the team only fills and checks: cases do not resize it */
    bool clocks_samples; /* core_clock_hz tells of the last sample */
    enum status (*finish)(struct device *);
    enum status (*flush)(struct device *);
    uint32_t (*flags)(const struct device *);
    bool (*is_lost)(const struct device *);
};

C_API_BEGIN
extern const struct backend cpu_backend;
extern const struct backend fake_backend;
extern const struct backend cuda_backend;      /* without CUDA one that opens nothing */
extern const struct backend *const backends[]; /* NULL-terminated; see backends.c */
C_API_END
