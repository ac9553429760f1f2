/* Linked beside the CUDA runtime of NVIDIA, and only there: what is timed is a GPU. */
#include "harness/measure/device_cuda_internal.h"

const enum source cuda_runtime_source = SOURCE_measured;
