#include "tests/cuda/check.h"

int failures;
