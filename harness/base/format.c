#include "harness/base/format.h"

#include <math.h>
#include <stdio.h>

static int is_printable(double value)
{
    return isfinite(value) && value > 0;
}

/* So many significant digits, never an exponent; `value` is below 1000. */
static void print_scaled(double value, int digits, const char *prefix, const char *unit,
                         char *buffer, size_t size)
{
    int before_point = value < 9.995 ? 1 : value < 99.95 ? 2 : 3;
    int decimals = digits > before_point ? digits - before_point : 0;
    if (before_point > digits) {
        double step = pow(10, before_point - digits);
        value = round(value / step) * step;
    }
    snprintf(buffer, size, "%.*f %s%s", decimals, value, prefix, unit);
}

static void print_digits(double value, int digits, const char *unit, char *buffer, size_t size)
{
    static const struct {
        double scale;
        const char *prefix;
    } prefixes[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                    {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
    enum { COUNT = sizeof(prefixes) / sizeof(prefixes[0]) };
    int i = 0;
    while (i < COUNT - 1 && value < 0.9995 * prefixes[i].scale)
        i++;
    print_scaled(value / prefixes[i].scale, digits, prefixes[i].prefix, unit, buffer, size);
}

const char *format_si(double value, const char *unit, char *buffer, size_t size)
{
    if (is_printable(value))
        print_digits(value, 3, unit, buffer, size);
    else
        snprintf(buffer, size, "-");
    return buffer;
}

const char *format_measured(double value, double half_width, const char *unit, char *buffer,
                            size_t size)
{
    static const double GOOD = 0.05, POOR = 0.5;
    int digits = half_width <= GOOD ? 3 : half_width <= POOR ? 2 : 1;
    if (!is_printable(value) || size < 2)
        return format_si(value, unit, buffer, size);
    buffer[0] = '~';
    print_digits(value, digits, unit, digits == 1 ? buffer + 1 : buffer,
                 digits == 1 ? size - 1 : size);
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
