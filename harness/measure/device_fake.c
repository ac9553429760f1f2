/* The cpu with scripted times: kernels really run and are really checked, but the stopwatch says
 * what the script says. For tests of everything above it; its records are marked `fake`.
 *
 *     fake:1e-3,2e-3,4e-3     seconds that each reading of the stopwatch gives, in turn, again
 *                             from the first after the last
 */
#include "harness/base/clock.h"
#include "harness/measure/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_MAX = 256 };
static const double FAKE_CLOCK_HZ = 3e9;

struct fake {
    double script[SCRIPT_MAX];
    int count, next;
    void *cpu_self; /* the cpu backend's own state, put back before it is called */
};

static enum status parse_script(const char *text, struct fake *fake)
{
    for (const char *word = text; *word;) {
        char *end;
        double seconds = strtod(word, &end);
        if (end == word || !isfinite(seconds) || (*end && *end != ','))
            return FAIL(STATUS_BAD_ARGUMENT, "fake device: '%s' is no list of seconds", text);
        if (fake->count == SCRIPT_MAX)
            return FAIL(STATUS_BAD_ARGUMENT, "fake device: over %d times", SCRIPT_MAX);
        fake->script[fake->count++] = seconds;
        word = *end ? end + 1 : end;
    }
    return fake->count ? STATUS_OK
                       : FAIL(STATUS_BAD_ARGUMENT, "fake device: no times; try fake:1e-3,2e-3");
}

/* Parses before it opens the cpu, so that a failure leaves nothing behind. */
static enum status fake_open(struct device *d, const struct device_options *options)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    if (!fake)
        return FAIL(STATUS_NO_MEMORY, "no memory for the fake device");
    const char *colon = strchr(options->name, ':');
    enum status status = parse_script(colon ? colon + 1 : "", fake);
    if (status == STATUS_OK)
        status = cpu_backend.open(d, options);
    if (status != STATUS_OK) {
        free(fake);
        return status;
    }
    fake->cpu_self = d->self;
    d->self = fake;
    d->info.source = SOURCE_fake;
    d->info.virtual_machine = false; /* scripted times have no neighbours */
    snprintf(d->info.name, sizeof(d->info.name), "fake");
    snprintf(d->info.model, sizeof(d->info.model), "scripted times, no measurement");
    d->info.clock_resolution_seconds = 1e-9;
    return STATUS_OK;
}

static void fake_close(struct device *d)
{
    struct fake *fake = d->self;
    d->self = fake->cpu_self;
    cpu_backend.close(d);
    free(fake);
}

static enum status fake_alloc(struct device *d, size_t size_bytes, void **buffer)
{
    struct fake *fake = d->self;
    d->self = fake->cpu_self;
    enum status status = cpu_backend.alloc(d, size_bytes, buffer);
    d->self = fake;
    return status;
}

static void fake_free(struct device *d, void *buffer, size_t size_bytes)
{
    cpu_backend.free(d, buffer, size_bytes);
}

static enum status fake_copy(struct device *d, void *to, const void *from, size_t size_bytes)
{
    return cpu_backend.upload(d, to, from, size_bytes);
}

static double fake_huge_fraction(struct device *d, const void *buffer, size_t size_bytes)
{
    (void)d, (void)buffer, (void)size_bytes;
    return -1;
}

static enum status fake_clock_start(struct device *d)
{
    (void)d;
    return STATUS_OK;
}

static enum status fake_clock_stop(struct device *d, double *elapsed_seconds)
{
    struct fake *fake = d->self;
    *elapsed_seconds = fake->script[fake->next];
    fake->next = (fake->next + 1) % fake->count;
    return STATUS_OK;
}

static double fake_core_clock_hz(struct device *d)
{
    (void)d;
    return FAKE_CLOCK_HZ;
}

const struct backend fake_backend = {
    .prefix = "fake",
    .open = fake_open,
    .close = fake_close,
    .alloc = fake_alloc,
    .free = fake_free,
    .upload = fake_copy,
    .download = fake_copy,
    .huge_fraction = fake_huge_fraction,
    .clock_start = fake_clock_start,
    .clock_stop = fake_clock_stop,
    .core_clock_hz = fake_core_clock_hz,
};
