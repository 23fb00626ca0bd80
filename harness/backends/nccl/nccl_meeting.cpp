#include "harness/backends/nccl/nccl_meeting.h"

#include <fmt/format.h>

#include <vector>

#include "harness/core/error.h"

namespace traceml {
namespace {

std::string text_of(const NcclRank& rank) {
  return rank.version + '\n' + rank.failure;
}

NcclRank rank_of(const std::string& text) {
  const std::size_t border = text.find('\n');
  return {text.substr(0, border), text.substr(border + 1)};
}

// Why the ranks cannot be connected; empty: nothing stands against it.
std::string objection(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const NcclRank rank = rank_of(texts[i]);
    if (!rank.failure.empty()) return fmt::format("rank {}: {}", i, rank.failure);
  }
  const std::string first = rank_of(texts.front()).version;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const std::string other = rank_of(texts[i]).version;
    if (other == first) continue;
    return fmt::format(
        "rank 0 has NCCL {} and rank {} has NCCL {}; start all ranks with the same library (see "
        "LD_LIBRARY_PATH)",
        first, i, other);
  }
  return {};
}

}  // namespace

std::string meet_before_nccl(Transport& transport, const NcclRank& own,
                             const std::function<std::string()>& make_identifier) {
  constexpr char kIdentifier = 'i';
  constexpr char kObjection = 'o';
  const std::vector<std::string> texts = transport.gather(text_of(own));
  std::string answer;
  if (transport.rank() == Rank{0}) {
    std::string against = objection(texts);
    try {
      if (against.empty()) answer = kIdentifier + make_identifier();
    } catch (const Error& error) {
      against = fmt::format("rank 0: {}", error.what());
    }
    if (!against.empty()) answer = kObjection + against;
  }
  answer = transport.broadcast(answer);
  if (answer.front() == kObjection) throw RunError(answer.substr(1));
  return answer.substr(1);
}

}  // namespace traceml
