/* /ceilings and /residuals of the file. */
#pragma once

#include "harness/store/run.h"
#include "harness/store/store_types.h"

C_API_BEGIN

extern const struct store_table store_ceilings, store_residuals;

/* Both tables; nothing where the run was not fitted. */
enum status ceilings_table_write(hid_t file, const struct run *run);

/* Into run->ceilings and run->residuals; an absent table is no error. */
enum status ceilings_table_read(hid_t file, struct run *run);

C_API_END
