/* The compute ceilings of matrix units, which no ladder of intensities reaches:
 *
 *   mix        basis            read off
 *   cublaslt   best of sizes    the fastest product of bench_gemm by cuBLASLt; verdicts and the
 *                               price list use it
 *   mma.sync   chains           the fastest chain of bench_tensor: what one instruction delivers,
 *                               which from 9.0 on is less than the units can
 *
 * One row per part and reading, for the types that matrix units multiply: f32 has its roof from the
 * plain cores. Value and interval are those of the one fastest point, so that the best of many is a
 * little lucky; `reason` names it and says of how many. Points that a variable of the environment
 * forced into other arithmetic are left out. */
#pragma once

#include "harness/model/readings.h"

C_API_BEGIN

/* Appends to the run's ceilings. */
enum status tensor_ceilings_add(const struct readings *readings, struct run *run);

C_API_END
