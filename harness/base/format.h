/* Numbers as people read them: three significant digits and a prefix. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* "412 us", "1.25 ms"; "-" for what is not a positive finite number. Returns buffer. */
const char *format_seconds(double seconds, char *buffer, size_t size);

/* "35.2 GB/s", "206 Gop/s", "3.45 GHz": decimal prefix before the unit given. */
const char *format_si(double value, const char *unit, char *buffer, size_t size);

/* The same with no more digits than were measured: three where the relative half-width of its
 * interval is up to 5 %, two up to 50 %, beyond that one, behind a "~". */
const char *format_measured(double value, double half_width, const char *unit, char *buffer,
                            size_t size);

/* "4 KiB", "1.5 MiB", "508 MiB": binary prefix; whole bytes below 1 KiB. */
const char *format_bytes(double bytes, char *buffer, size_t size);
