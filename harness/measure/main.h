/* The one main of all benches: each executable brings its bench, all bring the controls. */
#pragma once

#include "harness/measure/plan.h"

extern const struct bench *const main_bench; /* of this executable; written by CMake */
extern const struct control main_controls[]; /* bench/controls.c */
