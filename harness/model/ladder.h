/* Ladders: the rungs of one bench at the same parameters, from the slowest idea to the libraries.
 * Which rung is worth what shows only beside the others, so the harness works the shares out. */
#pragma once

#include "harness/model/ceilings.h"

struct ladder {
    const struct record **rungs; /* owned array; the run's points, in the order of its ladder */
    size_t count;
    const struct ceiling *roof; /* the highest compute ceiling of its part; NULL: none */
    const struct record *peer;  /* the fastest of the peers; NULL: none */
};

struct ladders {
    struct ladder *list; /* owned */
    size_t count;
};

C_API_BEGIN

/* Is it somebody else's implementation: openblas, blis, blas (by --blas), cublas, cublaslt? */
bool ladder_is_peer(const char *variant);

/* Sets share_of_peer and share_of_roof of every point that has a rate of operations, from the
 * medians and from the run's ceilings (ceilings_product), if it has any. */
void ladder_set_shares(struct run *run);

/* All groups of two or more rungs with the same bench, device and parameters, controls left out;
 * points that failed stand in them, too. ladders_clear also after failure. */
enum status ladders_of(const struct run *run, struct ladders *ladders);
void ladders_clear(struct ladders *ladders);

/* Operations per second at the median; 0 where there is none. */
double ladder_rate(const struct record *point);

C_API_END
