# Run at every build: writes the commit that is built into OUTPUT, and touches the file only when it changed.
#   cmake -DSOURCE=... -DOUTPUT=.../commit.h -P Commit.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=12 --dirty --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit "an unknown commit")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#pragma once

namespace traceml {

inline constexpr const char* kCommit = \"@commit@\";

}  // namespace traceml
")
