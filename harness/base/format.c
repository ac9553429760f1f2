#include "harness/base/format.h"

#include <math.h>
#include <stdio.h>

static int is_printable(double value)
{
    return isfinite(value) && value > 0;
}

/* Three significant digits, never an exponent, no digits that were not measured. */
static void print_scaled(double value, const char *prefix, const char *unit, char *buffer,
                         size_t size)
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(buffer, size, "%.*f %s%s", decimals, value, prefix, unit);
}

const char *format_si(double value, const char *unit, char *buffer, size_t size)
{
    static const struct {
        double scale;
        const char *prefix;
    } prefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                    {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
    enum { COUNT = sizeof(prefixes) / sizeof(prefixes[0]) };
    if (!is_printable(value)) {
        snprintf(buffer, size, "-");
        return buffer;
    }
    int i = 0;
    while (i < COUNT - 1 && value < 0.9995 * prefixes[i].scale)
        i++;
    print_scaled(value / prefixes[i].scale, prefixes[i].prefix, unit, buffer, size);
    return buffer;
}

const char *format_seconds(double seconds, char *buffer, size_t size)
{
    return format_si(seconds, "s", buffer, size);
}

const char *format_bytes(double bytes, char *buffer, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    enum { COUNT = sizeof(units) / sizeof(units[0]) };
    if (!is_printable(bytes)) {
        snprintf(buffer, size, "-");
        return buffer;
    }
    int i = 0;
    for (; i < COUNT - 1 && bytes >= 1024; i++)
        bytes /= 1024;
    int decimals = bytes == floor(bytes) || bytes >= 99.95 ? 0 : bytes < 9.995 ? 2 : 1;
    snprintf(buffer, size, "%.*f %s", decimals, bytes, units[i]);
    return buffer;
}
