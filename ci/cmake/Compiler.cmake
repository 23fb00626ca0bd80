# Warnings, sanitizers and ccache for every target of the project.
add_library(traceml_compiler INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND warnings -Wno-restrict)  # g++ 12 warns of its own std::string (GCC bug 105651)
endif()
target_compile_options(traceml_compiler INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")  # nvcc has other options
target_include_directories(traceml_compiler INTERFACE ${PROJECT_SOURCE_DIR})

set(TRACEML_SANITIZE "" CACHE STRING "for -fsanitize=: address,undefined or thread")
if(TRACEML_SANITIZE)
  set(sanitize -fsanitize=${TRACEML_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>")
  add_link_options(-fsanitize=${TRACEML_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# A compiler that has libstdc++ as an archive alone would put a second copy beside the one that shared libraries (libtorch,
# yaml-cpp) load, and the process would abort at exit.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so
  OUTPUT_VARIABLE shared_libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT IS_ABSOLUTE "${shared_libstdcxx}")
  find_library(LIBSTDCXX_SHARED libstdc++.so.6 REQUIRED)
  link_libraries(${LIBSTDCXX_SHARED})
endif()
