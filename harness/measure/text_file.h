/* Small text files of /proc, /sys and /etc, read whole. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reads at most size - 1 bytes of the file into buffer and ends them with a zero byte. Returns
 * how many were read, or -1 with an empty string where the file cannot be read. What does not
 * fit is left out: /proc/cpuinfo of a large machine is read for its first processor. */
int64_t text_file_read(const char *path, char *buffer, size_t size);

/* The same for a file below a directory, without the trailing newline; so that tests can put a
 * directory of their own in the place of /sys. */
int64_t text_file_line(const char *directory, const char *name, char *buffer, size_t size);

/* "MemTotal:  24684000 kB" -> 24684000 * 1024: the kB value of a key in a text of such lines
 * (/proc/meminfo, a node's meminfo); 0 where the key is missing. */
int64_t text_file_kib_value(const char *text, const char *key);
