# The CUDA kernels: which files, and how nvcc builds them. Included by kernels/ and tests/cuda/.

set(RIDGE_CUDA_SOURCES
  kernels/cuda/clock_stamp.cu
  kernels/cuda/flush.cu
  kernels/cuda/latch.cu
  kernels/intensity/intensity_cuda_0_reference.cu
  kernels/intensity/intensity_cuda_1_chains.cu
  kernels/stream/stream_cuda_0_scalar.cu
  kernels/stream/stream_cuda_1_vector.cu
  kernels/stream/stream_cuda_2_unrolled.cu)

# Registers that do not fit go to memory, and a kernel that was to time arithmetic times that: an
# error, as every warning of ptxas is.
set(RIDGE_NVCC_OPTIONS "SHELL:-Xptxas -warn-spills,-warn-lmem-usage" "SHELL:-Werror all-warnings"
  "SHELL:--threads 2")

if(RIDGE_HAVE_CUDA AND NOT TARGET ridge_cuda_kernels)
  list(TRANSFORM RIDGE_CUDA_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  add_library(ridge_cuda_kernels STATIC ${sources})
  target_include_directories(ridge_cuda_kernels PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(ridge_cuda_kernels PRIVATE -O3 ${RIDGE_NVCC_OPTIONS})
  set_target_properties(ridge_cuda_kernels PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
endif()
