# The sources of the peers of NVIDIA, for the target that holds the CUDA device: cublas_sources, and
# RIDGE_HAVE_CUBLAS. A toolkit may come without their headers: then they only say so.
# cuBLASLt tells tiles and stages by number; their names stand in its header, and are read from it.
set(names_tile "")
set(names_stages "")
find_file(cublaslt_header cublasLt.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(cublaslt_header)
set(RIDGE_HAVE_CUBLAS FALSE CACHE INTERNAL "The peers of NVIDIA are built")
if(NOT cublaslt_header)
  message(STATUS "ridge: no cuBLAS headers (libcublas-dev has them), so no comparison with cuBLAS")
  set(cublas_sources ${PROJECT_SOURCE_DIR}/kernels/gemm/gemm_cuda_9_absent.c)
  return()
endif()
set(RIDGE_HAVE_CUBLAS TRUE CACHE INTERNAL "The peers of NVIDIA are built")
set(number "CUBLASLT_MATMUL_(TILE|STAGES)_([0-9]+x[0-9AUTO]+) = ([0-9]+)")
file(STRINGS ${cublaslt_header} lines REGEX "${number}")
foreach(line IN LISTS lines)
  string(REGEX MATCH "${number}" matched "${line}")
  string(TOLOWER ${CMAKE_MATCH_1} kind)
  string(APPEND names_${kind} "    [${CMAKE_MATCH_3}] = \"${CMAKE_MATCH_2}\",\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/kernels/blas/cublaslt_names.c.in
  ${CMAKE_BINARY_DIR}/generated/cublaslt_names.c @ONLY)
set(cublas_sources blas/cublas.c blas/cublas_load.c blas/cublaslt.c
  gemm/gemm_cuda_9_cublas.c gemm/gemm_cuda_9_cublaslt.c)
list(TRANSFORM cublas_sources PREPEND ${PROJECT_SOURCE_DIR}/kernels/)
list(APPEND cublas_sources ${CMAKE_BINARY_DIR}/generated/cublaslt_names.c)
