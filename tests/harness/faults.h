/* What can go wrong in a bench: the values of bench_misbehave's axis `fault`. */
#pragma once

#include "harness/measure/bench.h"

#define FAULTS(X)                                                                                  \
    X(none)     /* a healthy case */                                                               \
    X(crash)    /* a null pointer */                                                               \
    X(abort)    /* a failed assertion, which says so first */                                      \
    X(exit)     /* ends with code 5 in the middle of a case */                                     \
    X(hang)     /* never comes back */                                                             \
    X(garbage)  /* a line that is no JSON where records are expected */                            \
    X(halfline) /* half a record, then killed */                                                   \
    X(overlong) /* a line of 100 MB */                                                             \
    X(liar)     /* a record of its healthy twin */                                                 \
    X(noisy)    /* 3 MB of text on each of stdout and stderr, otherwise healthy */                 \
    X(flood)    /* 300 MiB of text */                                                              \
    X(orphan)   /* starts a process that never ends and holds all descriptors, then aborts */      \
    X(wrong)    /* a wrong answer */                                                               \
    X(skip)     /* not possible here */

#define X(name) FAULT_##name,
enum fault { FAULTS(X) FAULT_COUNT };
#undef X

struct misbehave {
    int64_t fault, strikes, twin; /* varied */
    double *sum;
};

extern const struct bench bench_misbehave;
extern const char *const fault_names[]; /* NULL-terminated */

/* Does what the case's fault is; returns where that is possible. */
void fault_strike(const struct bench_case *c);
