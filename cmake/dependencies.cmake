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

set(RIDGE_HAVE_CUDA FALSE)
if(NOT RIDGE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(RIDGE_HAVE_CUDA TRUE)
  elseif(RIDGE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RIDGE_CUDA=ON, but no nvcc: put it on PATH or set CUDACXX")
  endif()
endif()

message(STATUS "ridge: MPI ${RIDGE_HAVE_MPI}, CUDA ${RIDGE_HAVE_CUDA}")
