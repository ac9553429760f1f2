#include "tests/cuda/kernels/check.h"

int failures;
