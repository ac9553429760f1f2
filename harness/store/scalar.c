#include "harness/store/scalar.h"

#include <stdlib.h>
#include <string.h>

void scalar_prepare_hdf5(void)
{
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); /* 0: who has set it, knows why */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static hid_t text_type(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static enum status write_attribute(hid_t where, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
    if (written < 0)
        return FAIL(STATUS_IO, "HDF5 refuses the attribute \"%s\"", name);
    return STATUS_OK;
}

enum status scalar_write_text_attribute(hid_t where, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    enum status status = write_attribute(where, name, type, text);
    H5Tclose(type);
    return status;
}

enum status scalar_write_real_attribute(hid_t where, const char *name, double value)
{
    return write_attribute(where, name, H5T_NATIVE_DOUBLE, &value);
}

enum status scalar_write_integer_attribute(hid_t where, const char *name, int64_t value)
{
    return write_attribute(where, name, H5T_NATIVE_INT64, &value);
}

enum status scalar_write_text(hid_t where, const char *name, const char *text)
{
    hid_t type = text_type(strlen(text) + 1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    herr_t written =
        dataset < 0 ? -1 : H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    if (written < 0)
        return FAIL(STATUS_IO, "HDF5 refuses the text \"%s\" of %zu bytes", name, strlen(text));
    return STATUS_OK;
}

/* A buffer for one text of that stored type and one closing zero; NULL if it is not one text. */
static char *make_room(hid_t stored, hid_t space, size_t limit_bytes, hid_t *type)
{
    size_t bytes = H5Tget_size(stored);
    bool is_one = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
                  H5Sget_simple_extent_npoints(space) == 1;
    if (!is_one || bytes == 0 || bytes > limit_bytes)
        return NULL;
    *type = H5Tcopy(stored);
    return calloc(1, bytes + 1);
}

enum status scalar_read_text_attribute(hid_t where, const char *name, size_t limit_bytes,
                                       char **text)
{
    hid_t type = H5I_INVALID_HID;
    hid_t attribute = H5Aopen(where, name, H5P_DEFAULT);
    hid_t stored = H5Aget_type(attribute), space = H5Aget_space(attribute);
    *text = stored < 0 ? NULL : make_room(stored, space, limit_bytes, &type);
    herr_t got = *text ? H5Aread(attribute, type, *text) : -1;
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(stored);
    H5Aclose(attribute);
    if (got >= 0)
        return STATUS_OK;
    free(*text);
    *text = NULL;
    return FAIL(STATUS_BAD_ARGUMENT, "the text attribute \"%s\" is missing or damaged", name);
}

enum status scalar_read_integer_attribute(hid_t where, const char *name, int64_t *value)
{
    hid_t attribute = H5Aopen(where, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute);
    bool is_one = attribute >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    herr_t got = is_one ? H5Aread(attribute, H5T_NATIVE_INT64, value) : -1;
    H5Sclose(space);
    H5Aclose(attribute);
    if (got < 0)
        return FAIL(STATUS_BAD_ARGUMENT, "the number attribute \"%s\" is missing or damaged", name);
    return STATUS_OK;
}

enum status scalar_read_text(hid_t where, const char *name, size_t limit_bytes, char **text)
{
    hid_t type = H5I_INVALID_HID;
    hid_t dataset = H5Dopen2(where, name, H5P_DEFAULT);
    hid_t stored = H5Dget_type(dataset), space = H5Dget_space(dataset);
    *text = stored < 0 ? NULL : make_room(stored, space, limit_bytes, &type);
    herr_t got = *text ? H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) : -1;
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(dataset);
    if (got >= 0)
        return STATUS_OK;
    free(*text);
    *text = NULL;
    return FAIL(STATUS_BAD_ARGUMENT, "the text \"%s\" is missing or damaged", name);
}
