#include "harness/analysis/bus_bandwidth.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace traceml {
namespace {

// Lower case, without underscores: "_allgather_base", "all_gather" and "AllGather" are one.
std::string plain(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c != '_') kept.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return kept;
}

struct Operation {
  std::string_view name;
  int per_rank;  // what each link carries of the bytes: this many times (n - 1) / n; 0: all of them
};

// "reduce" last: it is part of others' names.
constexpr std::array<Operation, 6> kOperations = {{{"allreduce", 2},
                                                   {"allgather", 1},
                                                   {"reducescatter", 1},
                                                   {"alltoall", 1},
                                                   {"broadcast", 0},
                                                   {"reduce", 0}}};

const Operation* operation_in(std::string_view text) {
  const std::string words = plain(text);
  const auto found =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const Operation& one) { return words.find(one.name) != std::string::npos; });
  return found == kOperations.end() ? nullptr : &*found;
}

struct TypeBytes {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<TypeBytes, 11> kTypes = {{{"Float", 4},
                                               {"BFloat16", 2},
                                               {"Half", 2},
                                               {"Double", 8},
                                               {"Int", 4},
                                               {"Long", 8},
                                               {"Byte", 1},
                                               {"Char", 1},
                                               {"Bool", 1},
                                               {"Short", 2},
                                               {"ComplexFloat", 8}}};

}  // namespace

std::optional<std::int64_t> collective_bytes(const CollectiveFacts& facts) {
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const TypeBytes& one) { return one.name == facts.type; });
  const bool float8 = facts.type.starts_with("Float8");
  if ((type == kTypes.end() && !float8) || (!facts.elements_in && !facts.elements_out)) {
    return std::nullopt;
  }
  const std::int64_t elements =
      std::max(facts.elements_in.value_or(0), facts.elements_out.value_or(0));
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  if (elements < 0 || elements > kMost) return std::nullopt;
  return elements * (float8 ? 1 : type->bytes);
}

std::optional<double> bus_bandwidth(std::string_view operation, std::int64_t bytes, Seconds time,
                                    int ranks) {
  const Operation* known = operation_in(operation);
  if (known == nullptr || ranks < 2 || !(time.count() > 0)) return std::nullopt;
  const double algorithm = static_cast<double>(bytes) / time.count() / 1e9;
  if (known->per_rank == 0) return algorithm;
  return algorithm * known->per_rank * (ranks - 1) / ranks;
}

bool is_symmetric(std::string_view operation) {
  const Operation* known = operation_in(operation);
  return known != nullptr && known->per_rank > 0;
}

std::string operation_in_kernel(std::string_view kernel) {
  const Operation* known = operation_in(kernel);
  return known == nullptr ? "" : std::string(known->name);
}

}  // namespace traceml
