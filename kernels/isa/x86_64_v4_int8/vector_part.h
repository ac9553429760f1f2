/* As of x86-64-v4. */
#pragma once

#include "kernels/isa/x86_64_v4/vector_part.h"
