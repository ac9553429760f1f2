/* The element type of kernels compiled for f32. */
#pragma once

typedef float element;
