#include "harness/codec/kineto_shape.h"

namespace traceml {
namespace {

constexpr std::size_t kLongest = 200;  // what follows is cut off: lists of tensors may be long
constexpr std::size_t kInputs = 1, kTensor = 2;  // depths of brackets

}  // namespace

void ShapeText::clear() {
  text_.clear();
  depth_ = input_begin_ = 0;
}

void ShapeText::append(std::string_view more) {
  if (text_.size() < kLongest) text_ += more;
}

void ShapeText::begin_array() {
  ++depth_;
  if (depth_ == kTensor) {
    if (!text_.empty()) append(", ");
    input_begin_ = text_.size();
  } else if (depth_ > kTensor && text_.size() > input_begin_) {
    append(";");
  }
}

void ShapeText::end_array() {
  if (depth_ == kTensor && text_.size() == input_begin_) append("-");
  if (depth_ >= kInputs) --depth_;
}

void ShapeText::add(std::string_view number) {
  const char last = text_.size() > input_begin_ ? text_.back() : ';';
  if (last >= '0' && last <= '9') append("x");
  append(number);
}

}  // namespace traceml
