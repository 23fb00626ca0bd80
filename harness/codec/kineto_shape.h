#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace traceml {

// "Input Dims" of an operator as a short text, from the brackets and numbers of its JSON:
// [[8, 3, 32, 32], [], [[2], [3, 4]]] becomes "8x3x32x32, -, 2;3x4".
class ShapeText {
 public:
  void clear();
  void begin_array();
  void end_array();
  void add(std::string_view number);

  const std::string& text() const { return text_; }  // empty: not told

 private:
  void append(std::string_view more);

  std::string text_;
  std::size_t depth_ = 0;
  std::size_t input_begin_ = 0;  // of the input that is open, in text_
};

}  // namespace traceml
