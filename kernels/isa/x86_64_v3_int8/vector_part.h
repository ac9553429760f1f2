/* As of x86-64-v3. */
#pragma once

#include "kernels/isa/x86_64_v3/vector_part.h"
