# The commit and the compiler are part of every record: who built this, from what, and how. Written
# anew at each build, so that a later commit is not recorded under an older one's name.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}" flags)
add_custom_target(ridge_build_version
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/build_version.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
    -D OUTPUT=${PROJECT_BINARY_DIR}/generated/build_version.h
    -D VERSION=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${flags}"
    -D RIDGE_HAVE_CUDA=${RIDGE_HAVE_CUDA} -D RIDGE_HAVE_MPI=${RIDGE_HAVE_MPI}
    -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
  VERBATIM)
