/* The controls: one memory and one arithmetic case that every child measures in every round, so
 * that the machine's drift is known and ceilings from different children are comparable. */
#include "bench/benches.h"
#include "harness/measure/main.h"

const struct control main_controls[] = {
    {&bench_vector_add,
     {"op=read", "dtype=f64", "store=plain", "array_bytes=4LLC", "threads=all", NULL}},
    {&bench_intensity, {"fmas=512", "dtype=f64", "level=L1", "threads=all", NULL}},
    {0},
};
