/* Single values of an HDF5 file: texts and numbers, as attributes or as datasets of their own.
 * Texts are of fixed length, UTF-8 and end with a zero byte, which every reader understands. */
#pragma once

#include "harness/base/status.h"

#include <hdf5.h>

#include <stdint.h>

C_API_BEGIN

/* Silences HDF5's own error prints, since ridge says it in one sentence, and turns its file
 * locks off: a file is only ever replaced whole, so they would guard nothing and break on network
 * file systems. To be called before anything else of HDF5. */
void scalar_prepare_hdf5(void);

enum status scalar_write_text_attribute(hid_t where, const char *name, const char *text);
enum status scalar_write_real_attribute(hid_t where, const char *name, double value);
enum status scalar_write_integer_attribute(hid_t where, const char *name, int64_t value);
enum status scalar_write_text(hid_t where, const char *name, const char *text);

/* STATUS_BAD_ARGUMENT where it is absent, of another type, or longer than limit_bytes. The caller
 * frees *text. */
enum status scalar_read_text_attribute(hid_t where, const char *name, size_t limit_bytes,
                                       char **text);
enum status scalar_read_integer_attribute(hid_t where, const char *name, int64_t *value);
enum status scalar_read_text(hid_t where, const char *name, size_t limit_bytes, char **text);

C_API_END
