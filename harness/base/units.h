/* Every quantity inside the program is in SI base units and says so in its name: _seconds,
 * _bytes, _bytes_per_s, _ops_per_s, _hz, _watts. Prefixes exist only here, for literals, and
 * in format.c, for printing. GB is 10^9, GiB is 2^30. */
#pragma once

#include <stdint.h>

#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)
#define GIB(n) ((int64_t)(n) << 30)
