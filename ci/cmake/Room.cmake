# traceml_room(NAME SOURCES a.cpp ... LINK targets ...): one room, one target, traceml_NAME.
# A room without sources is headers only. LINK names rooms of lower floors and outside libraries.
function(traceml_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  if(ARG_SOURCES)
    add_library(traceml_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(traceml_${name} PUBLIC traceml_compiler ${ARG_LINK} PRIVATE ${ARG_PRIVATE})
  else()
    add_library(traceml_${name} INTERFACE)
    target_link_libraries(traceml_${name} INTERFACE traceml_compiler ${ARG_LINK})
  endif()
endfunction()

add_custom_target(gpu_tests)  # the programs of tests labelled gpu or gpu2, for ci/gpu

# traceml_test(NAME SOURCES a_test.cpp ... LINK targets ... [RANKS n] [LABELS l ...] [TIMEOUT s] [ARGS ...])
# A GoogleTest program and its CTest; with RANKS it runs under mpirun. Its folder's name is a label, too.
# Label what takes over 5 s `slow`: sanitizer runs leave it out. What uses a GPU is labelled `gpu` and runs alone on it.
function(traceml_test name)
  cmake_parse_arguments(ARG "" "RANKS;TIMEOUT" "SOURCES;LINK;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE TRACEML_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # No test measures itself: -O3 would compile them half as long again.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if("gpu" IN_LIST ARG_LABELS OR "gpu2" IN_LIST ARG_LABELS)
    add_dependencies(gpu_tests ${name})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  traceml_add_ctest(${name} ${name} "${ARG_RANKS}" "${ARG_TIMEOUT}" "${room};${ARG_LABELS}" "${ARG_ARGS}")
endfunction()

# Sanitizer reports end a test with an exit code of their own, which no verdict has.
set(TRACEML_SANITIZER_ENVIRONMENT
  ASAN_OPTIONS=exitcode=66
  LSAN_OPTIONS=exitcode=66
  UBSAN_OPTIONS=exitcode=66,print_stacktrace=1
  TSAN_OPTIONS=exitcode=66,second_deadlock_stack=1)

# One CTest named `test` that runs `target`, on `ranks` ranks if not empty.
function(traceml_add_ctest test target ranks timeout labels args)
  if(ranks)
    add_test(NAME ${test} COMMAND ${TRACEML_MPIRUN} -n ${ranks} $<TARGET_FILE:${target}> ${args})
    set_tests_properties(${test} PROPERTIES PROCESSORS 2)
  else()
    add_test(NAME ${test} COMMAND ${target} ${args})
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}"
    ENVIRONMENT "${TRACEML_SANITIZER_ENVIRONMENT}")
  if("gpu" IN_LIST labels OR "gpu2" IN_LIST labels)
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

# traceml_benchmark(NAME SOURCES a_bench.cpp ... LINK targets ...): a Google Benchmark program that
# ci/bench builds (target `benchmarks`) and finds in build/PRESET/benchmarks.
function(traceml_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
  if(NOT TARGET benchmarks)
    add_custom_target(benchmarks)
  endif()
  add_dependencies(benchmarks ${name})
endfunction()
