#include "harness/base/version.h"

#include "build_version.h"

const char *version_text(void)
{
    return RIDGE_VERSION;
}

const char *version_commit(void)
{
    return RIDGE_COMMIT;
}

const char *version_compiler(void)
{
    return RIDGE_COMPILER;
}

bool version_has_cuda(void)
{
    return RIDGE_HAVE_CUDA;
}

bool version_has_mpi(void)
{
    return RIDGE_HAVE_MPI;
}
