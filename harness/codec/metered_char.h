#pragma once
// An iterator over text that bounds how long a regular expression may search in it.

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace traceml {

struct TooManyLooks {};

// A place in a text. Each look at its character takes one of the looks left, which it borrows with
// the text; throws TooManyLooks where none is left.
class MeteredChar {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  MeteredChar() = default;
  MeteredChar(const char* at, std::int64_t* looks_left) : at_(at), looks_left_(looks_left) {}

  reference operator*() const {
    if (--*looks_left_ < 0) throw TooManyLooks{};
    return *at_;
  }
  MeteredChar& operator++() {
    ++at_;
    return *this;
  }
  MeteredChar operator++(int) { return {at_++, looks_left_}; }
  MeteredChar& operator--() {
    --at_;
    return *this;
  }
  MeteredChar operator--(int) { return {at_--, looks_left_}; }
  friend bool operator==(const MeteredChar& a, const MeteredChar& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  std::int64_t* looks_left_ = nullptr;
};

}  // namespace traceml
