/* What a fit found, as the file keeps it: the rows of /ceilings and /residuals. `ridge fit` makes
 * them (harness/model/ceilings); they can always be made again from the samples. */
#pragma once

#include <stdint.h>

struct ceiling {
    char reading[16]; /* "typical" (median) or "capable" (25 % quantile of time) */
    char kind[16];    /* "compute" or "bandwidth" */
    char level[16];   /* of bandwidth: "L1" .. "memory"; else "" */
    char mix[32]; /* "fma"; of matrix units "cublaslt", "mma.sync"; "read ladder"; of the streams
                     "read", "copy plain" ... */
    char dtype[16], device[32];
    char unit[8];    /* "op/s" or "B/s" */
    char basis[16];  /* of value: "plateau", "asymptote", "streams", "best of sizes", "chains" or
                        "nothing" */
    char status[16]; /* "determined" or "not_determined" */
    char reason[160];
    char sharp[16]; /* of sharpness: "determined", "sharp" (at its bound) or "not_determined" */
    double value, low, high;                         /* what is published; 0: not determined */
    double asymptote, asymptote_low, asymptote_high; /* of the fitted curve; 0: none */
    double plateau, plateau_low, plateau_high;       /* of the points far from the ridge; 0: none */
    double sharpness, sharpness_low, sharpness_high; /* p of the knee; 0: none */
    double maximum;                                  /* best rate of a point */
    double ridge;  /* op/byte, compute over this bandwidth; 0: none */
    double misfit; /* scatter about the curve over the noise of the points; 0: no fit */
    int32_t threads, points;
    uint32_t flags; /* FLAG_* of all its points */
};

/* How far a point lies from the fitted curve. */
struct residual {
    char case_id[24], reading[16];
    char excluded[48]; /* "" where it was used, else why not */
    double ops_per_s;  /* the reading, drift divided out; 0 where there is none */
    double residual;   /* log(reading / curve) */
};
