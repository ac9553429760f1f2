# Run at build time by cmake -P: writes OUTPUT only where it changes.
set(COMMIT "unknown")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
    --exclude=* OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(COMMIT ${described})
  endif()
endif()
configure_file(${SOURCE_DIR}/cmake/version.h.in ${OUTPUT})
