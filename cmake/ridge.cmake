# Three words for the CMakeLists of the folders.

# ridge_library(name sources...): a folder's code as one static library.
function(ridge_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC ridge_options)
endfunction()

# ridge_bench(name [source]): the executable bench_<name>: the one main, the controls, and the
# bench named; its source is left out where the controls' library holds it already.
function(ridge_bench name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/which_${name}.c CONTENT
"/* From bench/CMakeLists.txt. */
#include \"harness/measure/main.h\"

extern const struct bench bench_${name};
const struct bench *const main_bench = &bench_${name};
")
  add_executable(bench_${name} ${PROJECT_SOURCE_DIR}/harness/measure/main.c
    ${CMAKE_CURRENT_BINARY_DIR}/which_${name}.c ${ARGN})
  target_link_libraries(bench_${name} PRIVATE ridge_controls)
  install(TARGETS bench_${name})
  set_property(GLOBAL APPEND PROPERTY RIDGE_BENCHES ${name})
endfunction()

# ridge_test(name libraries...): tests/unit/test_<name>.c with cmocka, as the test unit.<name>.
function(ridge_test name)
  add_executable(test_${name} unit/test_${name}.c)
  target_link_libraries(test_${name} PRIVATE ${ARGN} ridge_options PkgConfig::CMOCKA m)
  target_compile_definitions(test_${name} PRIVATE
    TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests" BUILD_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  add_test(NAME unit.${name} COMMAND test_${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()
