#pragma once
// Where the operators of one thread are kept while they are recorded. No libtorch.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/operator_events.h"

namespace traceml {

// Sizes of inputs as numbers in a row: a tensor is its number of dimensions and these; a list of N
// tensors is -N-1 and the tensors; all else, and an undefined tensor, is 0.
class OperatorDims {
 public:
  void make_room(std::size_t numbers);
  std::size_t size() const { return numbers_.size(); }
  bool is_full() const { return full_; }
  void add(std::int64_t number);
  void take_back_to(std::size_t size);

  // Those from `from` to `to` as nested lists: "[[8,3,32,32],[],[[2],[3,4]]]".
  std::string text(std::size_t from, std::size_t to) const;

 private:
  std::vector<std::int64_t> numbers_;
  bool full_ = false;  // since the last take_back_to(): one did not fit
};

class OperatorRoom {
 public:
  static constexpr std::size_t kDimsEach = 12;  // of an operator, on average

  // Forgets all. To keep an operator then allocates nothing, but for a name that is new.
  void make_room(std::size_t operators);

  // `add_dims` writes the operator's inputs. `call` tells it from others that are open.
  template <typename AddDims>
  void begin(const void* call, std::string_view name, std::int64_t sequence, AddDims&& add_dims) {
    const std::size_t dims = dims_.size();
    if (spans_.size() < spans_.capacity() && open_.size() < open_.capacity()) {
      add_dims(dims_);
      if (!dims_.is_full()) return keep(call, name, sequence, dims);
    }
    dims_.take_back_to(dims);
    ++dropped_;
  }
  // The operator that began last of those that are kept and open: its begin is now.
  void started(Nanos now) { spans_[open_.back().span].start = now; }
  bool is_open(const void* call) const { return !open_.empty() && open_.back().call == call; }
  // Nothing where `call` is not kept.
  void end(const void* call, Nanos now);

  // Adds what was kept to `events`, as of thread `thread`, and gives the room back. Names are not
  // made one.
  void take(ThreadIndex thread, OperatorEvents* events);

 private:
  struct Open {
    const void* call;
    std::size_t span;
  };
  struct Kept {
    Nanos start{0};
    std::optional<Nanos> duration;
    std::int64_t sequence = 0;  // below 0: none
    std::uint32_t name = 0;
    std::size_t dims = 0;  // where they begin
  };

  void keep(const void* call, std::string_view name, std::int64_t sequence, std::size_t dims);

  OperatorDims dims_;
  std::vector<Kept> spans_;
  std::vector<Open> open_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::int64_t dropped_ = 0;
};

}  // namespace traceml
