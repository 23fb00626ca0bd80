#include "workloads/torch/operator_room.h"

#include <algorithm>

namespace traceml {
namespace {

constexpr std::size_t kDeepest = 1000;  // operators inside operators

std::string tensor_text(const std::vector<std::int64_t>& numbers, std::size_t* at) {
  std::string text = "[";
  const std::int64_t dimensions = numbers[(*at)++];
  for (std::int64_t i = 0; i < dimensions; ++i) {
    if (i > 0) text += ",";
    text += std::to_string(numbers[(*at)++]);
  }
  return text + "]";
}

}  // namespace

void OperatorDims::make_room(std::size_t numbers) {
  numbers_ = {};
  numbers_.reserve(numbers);
  full_ = false;
}

void OperatorDims::add(std::int64_t number) {
  full_ = full_ || numbers_.size() == numbers_.capacity();
  if (!full_) numbers_.push_back(number);
}

void OperatorDims::take_back_to(std::size_t size) {
  numbers_.resize(size);
  full_ = false;
}

std::string OperatorDims::text(std::size_t from, std::size_t to) const {
  std::string text = "[";
  for (std::size_t at = from; at < to;) {
    if (at > from) text += ",";
    if (numbers_[at] >= 0) {
      text += tensor_text(numbers_, &at);
      continue;
    }
    const std::int64_t tensors = -numbers_[at++] - 1;
    text += "[";
    for (std::int64_t i = 0; i < tensors; ++i) {
      if (i > 0) text += ",";
      text += tensor_text(numbers_, &at);
    }
    text += "]";
  }
  return text + "]";
}

void OperatorRoom::make_room(std::size_t operators) {
  dims_.make_room(operators * kDimsEach);
  spans_ = {};
  spans_.reserve(operators);
  open_.clear();
  open_.reserve(kDeepest);
  names_.clear();
  dropped_ = 0;
}

void OperatorRoom::keep(const void* call, std::string_view name, std::int64_t sequence,
                        std::size_t dims) {
  auto known = names_.find(name);
  if (known == names_.end()) {
    known = names_.emplace(name, static_cast<std::uint32_t>(names_.size())).first;
  }
  open_.push_back({call, spans_.size()});
  Kept kept;
  kept.sequence = sequence;
  kept.name = known->second;
  kept.dims = dims;
  spans_.push_back(kept);
}

void OperatorRoom::end(const void* call, Nanos now) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [call](const Open& one) { return one.call == call; });
  if (found == open_.rend()) return;
  Kept& kept = spans_[found->span];
  kept.duration = now - kept.start;
  open_.erase(std::next(found).base());
}

void OperatorRoom::take(ThreadIndex thread, OperatorEvents* events) {
  const auto first = static_cast<NameIndex>(events->names.size());
  events->names.resize(first + names_.size());
  for (const auto& [name, index] : names_) events->names[first + index] = name;
  std::map<std::string, NameIndex> dims;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Kept& kept = spans_[i];
    if (!kept.duration) {
      ++dropped_;  // still open
      continue;
    }
    const std::size_t end = i + 1 < spans_.size() ? spans_[i + 1].dims : dims_.size();
    const auto [known, is_new] =
        dims.try_emplace(dims_.text(kept.dims, end), static_cast<NameIndex>(events->names.size()));
    if (is_new) events->names.push_back(known->first);
    OperatorSpan span;
    span.start = kept.start;
    span.duration = *kept.duration;
    if (kept.sequence >= 0) span.sequence = kept.sequence;
    span.dims = known->second;
    span.name = first + kept.name;
    span.thread = thread;
    events->spans.push_back(span);
  }
  events->dropped += dropped_;
  make_room(0);
}

}  // namespace traceml
