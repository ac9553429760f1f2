/* The element type of kernels compiled for f64. */
#pragma once

typedef double element;
