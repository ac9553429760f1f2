/* Writes a small run to the file named, for the tests of what reads it: write_example FILE.h5 */
#include "harness/store/store.h"
#include "tests/unit/example_run.h"

int main(int argc, char **argv)
{
    struct run run;
    if (argc != 2)
        return status_exit_code(STATUS_BAD_ARGUMENT);
    example_run(&run, 3, 5);
    run.points[2].status = RECORD_failed;
    enum status status = store_write(argv[1], &run);
    run_clear(&run);
    if (status != STATUS_OK)
        error_print("write_example");
    return status_exit_code(status);
}
