# What is found decides what is built; what is missing is said here, once, with its remedy.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
find_package(HDF5 REQUIRED COMPONENTS C)
if(RIDGE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()

# ON insists, OFF leaves out, AUTO takes what is there. The result is RIDGE_HAVE_<NAME>.
set(RIDGE_HAVE_MPI FALSE)
if(RIDGE_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS C)
elseif(NOT RIDGE_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND AND NOT RIDGE_MPI STREQUAL "OFF")
  set(RIDGE_HAVE_MPI TRUE)
endif()

# Machine code for every generation since 2018, and PTX of the newest, which newer ones translate.
# "native" is for the GPU of this very machine; where there is none, CUDA is left out.
set(RIDGE_HAVE_CUDA FALSE)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120
    CACHE STRING "Compute capabilities that the kernels are built for")
endif()
if(RIDGE_CUDA STREQUAL "AUTO" AND CMAKE_CUDA_ARCHITECTURES STREQUAL "native"
    AND NOT EXISTS /dev/nvidiactl AND NOT EXISTS /dev/dxg)
  message(STATUS "ridge: no GPU here, so none is built for")
elseif(NOT RIDGE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(RIDGE_HAVE_CUDA TRUE)
  elseif(RIDGE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RIDGE_CUDA=ON, but no nvcc: put it on PATH or set CUDACXX")
  endif()
endif()

# The headers alone let the tests run the kernels by emulation, on a CUDA runtime of their own.
find_package(CUDAToolkit QUIET)
set(RIDGE_HAVE_CUDA_HEADERS FALSE)
if(CUDAToolkit_FOUND AND RIDGE_TESTS AND NOT CMAKE_CROSSCOMPILING)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(RIDGE_HAVE_CUDA_HEADERS TRUE)
  endif()
endif()
if(RIDGE_HAVE_CUDA AND NOT CUDAToolkit_FOUND)
  message(FATAL_ERROR "nvcc is there, but not the CUDA toolkit that belongs to it: set CUDAToolkit_ROOT")
endif()

message(STATUS "ridge: MPI ${RIDGE_HAVE_MPI}, CUDA ${RIDGE_HAVE_CUDA}")
