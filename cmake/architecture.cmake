# Which processors this build is for: it picks source files (RIDGE_ARCHITECTURE), never flags of
# this very machine.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
if(processor MATCHES "^(x86_64|amd64)$")
  set(RIDGE_ARCHITECTURE x86_64)
elseif(processor MATCHES "^(aarch64|arm64)$")
  set(RIDGE_ARCHITECTURE aarch64)
else()
  message(FATAL_ERROR "ridge has no kernels for '${CMAKE_SYSTEM_PROCESSOR}': x86_64 and aarch64 "
    "are known; add a folder to kernels/isa")
endif()
