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

# traceml_test(NAME SOURCES a_test.cpp ... LINK targets ... [RANKS n] [LABELS l ...] [TIMEOUT s])
# A GoogleTest program and its CTest; with RANKS it runs under mpirun. Sanitizer reports end with exit code 66.
function(traceml_test name)
  cmake_parse_arguments(ARG "" "RANKS;TIMEOUT" "SOURCES;LINK;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock_main)
  target_compile_definitions(${name} PRIVATE TRACEML_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  traceml_add_ctest(${name} ${name} "${ARG_RANKS}" "${ARG_TIMEOUT}" "${ARG_LABELS}" "${ARG_ARGS}")
endfunction()

# One CTest named `test` that runs `target`, on `ranks` ranks if not empty.
function(traceml_add_ctest test target ranks timeout labels args)
  if(ranks)
    add_test(NAME ${test} COMMAND ${TRACEML_MPIRUN} -n ${ranks} $<TARGET_FILE:${target}> ${args})
    set_tests_properties(${test} PROPERTIES PROCESSORS 2)
  else()
    add_test(NAME ${test} COMMAND ${target} ${args})
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}"
    ENVIRONMENT "ASAN_OPTIONS=exitcode=66;UBSAN_OPTIONS=exitcode=66,print_stacktrace=1;TSAN_OPTIONS=exitcode=66,second_deadlock_stack=1;LSAN_OPTIONS=exitcode=66")
endfunction()
