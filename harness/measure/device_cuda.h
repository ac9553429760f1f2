/* What the wrappers of CUDA kernels (kernels/set_cuda.c) ask of the device that launches them. */
#pragma once

#include "harness/measure/device.h"
#include "kernels/cuda/grid.h"

C_API_BEGIN

void *device_cuda_stream(const struct device *device); /* a cudaStream_t */
const struct cuda_grid *device_cuda_grid(const struct device *device);

/* Told after every launch: `error` is what the launch function returned (a cudaError_t), `what` and
 * `bytes` name the kernel and its size in the sentence of an error that shows up later. */
enum status device_cuda_launched(struct device *device, int error, const char *what, double bytes);

C_API_END
