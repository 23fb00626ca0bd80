#include "harness/codec/baseline_chain.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kHeadSchema = "traceml-bench/baseline_head/1";
constexpr const char* kHeaded = "headed";  // true in files of stores that have a head

ChainEnd chain_end_of(const Json& json) {
  return {whole_number_of(json.at("count")), json.at("crc32").get<std::string>()};
}

Json json_of(const ChainEnd& end) {
  return {{"count", end.count}, {"crc32", end.crc32}};
}

std::string text_of(const StoreHead& head) {
  return sealed({{"schema", kHeadSchema},
                 {"campaigns", json_of(head.campaigns)},
                 {"pins", json_of(head.pins)}})
      .text;
}

}  // namespace

std::string StoreFile::path(const std::string& dir, int number) const {
  return fmt::format("{}/{}_{:04}.json", dir, word, number);
}

std::optional<int> StoreFile::number_of(const std::string& name) const {
  const std::string opening = fmt::format("{}_", word);
  if (!name.starts_with(opening) || !name.ends_with(".json")) return std::nullopt;
  const std::string digits = name.substr(opening.size(), name.size() - opening.size() - 5);
  if (digits.empty() || digits.size() > 9 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const int number = std::stoi(digits);
  return number > 0 && path("", number) == "/" + name ? std::optional(number) : std::nullopt;
}

std::string Chain::last() const {
  return crcs.empty() ? kNoFile : crcs.back();
}

ChainEnd Chain::end() const {
  return {static_cast<int>(crcs.size()), last()};
}

Json opening_of(const StoreFile& kind, const Chain& before) {
  return {{"schema", kind.schema},
          {"number", before.end().count + 1},
          {"follows", before.last()},
          {kHeaded, true}};
}

Chain read_chain(const std::string& dir, const StoreFile& kind, int count,
                 const std::function<void(const Json&)>& take) {
  Chain chain;
  for (int number = 1; number <= count; ++number) {
    const std::string file = kind.path(dir, number);
    if (!fs::exists(file)) {
      throw RunError(fmt::format("{} is missing, and {} is there; put it back", file,
                                 fs::path(kind.path(dir, count)).filename().string()));
    }
    SealedJson content = read_sealed(file, kind.schema);
    try {
      if (content.json.at("number") != Json(number) ||
          content.json.at("follows") != Json(chain.last())) {
        throw UsageError(number == 1
                             ? "it was not the first one of its store"
                             : "it does not follow " +
                                   fs::path(kind.path(dir, number - 1)).filename().string());
      }
      take(content.json);
    } catch (const Json::exception&) {
      throw RunError(fmt::format("{} lacks what a {} holds", file, kind.word));
    } catch (const UsageError& error) {
      throw RunError(
          fmt::format("{} is not of this store, or was changed: {}", file, error.what()));
    }
    chain.headed |= content.json.contains(kHeaded);
    chain.crcs.push_back(content.crc32);
  }
  return chain;
}

std::string head_file(const std::string& dir) {
  return dir + "/head.json";
}

std::optional<StoreHead> read_head(const std::string& dir) {
  const std::string file = head_file(dir);
  if (!fs::exists(file)) return std::nullopt;
  const Json json = read_sealed(file, kHeadSchema).json;
  try {
    return StoreHead{chain_end_of(json.at("campaigns")), chain_end_of(json.at("pins"))};
  } catch (const Json::exception&) {
    throw RunError(file + " lacks what the head of a store holds");
  } catch (const UsageError& error) {
    throw RunError(fmt::format("{} is no head of a store: {}", file, error.what()));
  }
}

void make_head(const std::string& dir, const StoreHead& head) {
  if (!fs::exists(head_file(dir))) write_new_file_atomically(head_file(dir), text_of(head));
}

void write_head(const std::string& dir, const StoreHead& head) {
  write_file_atomically(head_file(dir), text_of(head));
}

// Files behind the head are those of a job that was killed before it could write a new one.
void require_counted(const std::string& dir, const StoreFile& kind, const ChainEnd& head,
                     const Chain& chain) {
  const auto counted = static_cast<std::size_t>(head.count);
  if (chain.crcs.size() < counted) {
    throw RunError(fmt::format("{} is missing, and head.json counts {}; put it back",
                               kind.path(dir, chain.end().count + 1), head.count));
  }
  if (head.crc32 == (counted == 0 ? kNoFile : chain.crcs[counted - 1])) return;
  throw RunError(
      fmt::format("{} is not the one that head.json names; put the files of one store together",
                  kind.path(dir, head.count)));
}

}  // namespace traceml
