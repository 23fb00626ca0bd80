#pragma once
// The files of a store of baselines as chains, and the head that counts them
// (codec/baseline_store.h). For sources of this room only.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/codec/campaign_json.h"

namespace traceml {

inline constexpr const char* kNoFile = "00000000";  // the checksum before the first file

// One of the two kinds of file that are added.
struct StoreFile {
  const char* word;
  const char* schema;

  std::string path(const std::string& dir, int number) const;   // "DIR/pin_0003.json"
  std::optional<int> number_of(const std::string& name) const;  // nullopt: not of this kind
};

inline constexpr StoreFile kCampaignFile = {"campaign", "traceml-bench/baseline_campaign/1"};
inline constexpr StoreFile kPinFile = {"pin", "traceml-bench/baseline_pin/1"};

// How far a chain has come.
struct ChainEnd {
  int count = 0;
  std::string crc32 = kNoFile;  // of file `count`
};

// One kind of file, as far as it was read.
struct Chain {
  std::vector<std::string> crcs;  // of file 1, 2, ...
  bool headed = false;            // a file in it was written beside a head

  std::string last() const;
  ChainEnd end() const;
};

// What the file behind `before` begins with.
nlohmann::ordered_json opening_of(const StoreFile& kind, const Chain& before);

// Reads files 1 to `count`, each of which must follow the one before; `take` gets the content of
// each. Throws RunError naming the file that is missing, torn, edited or of another store; what
// `take` throws (UsageError, exceptions of the JSON library) likewise.
Chain read_chain(const std::string& dir, const StoreFile& kind, int count,
                 const std::function<void(const nlohmann::ordered_json&)>& take);

// At least so many files have been there.
struct StoreHead {
  ChainEnd campaigns, pins;
};

std::string head_file(const std::string& dir);  // "DIR/head.json"

// nullopt: there is none, as in stores of older versions. Throws RunError.
std::optional<StoreHead> read_head(const std::string& dir);

// Where there is none yet.
void make_head(const std::string& dir, const StoreHead& head);

void write_head(const std::string& dir, const StoreHead& head);

// Throws RunError where the chain lacks a file that the head counts, or ends in another one.
void require_counted(const std::string& dir, const StoreFile& kind, const ChainEnd& head,
                     const Chain& chain);

}  // namespace traceml
