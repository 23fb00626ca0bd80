#pragma once

#include <cstddef>
#include <cstdint>

// What libFuzzer calls with each input. A crash, a leak, a sanitizer's report and an exception that
// gets out are faults; traceml::Error, which says what is wrong with the input, is none.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
