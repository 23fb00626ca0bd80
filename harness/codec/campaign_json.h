#pragma once
// Stored campaigns as JSON, and files of them that carry a checksum. For sources of this room only.

#include <nlohmann/json.hpp>
#include <string>

#include "harness/analysis/stored_baseline.h"

namespace traceml {

nlohmann::ordered_json campaign_json(const CampaignRecord& campaign);

// Throws nlohmann::json::exception for what is missing or of another type, UsageError with the
// rest of a sentence ("launch 2 of shipped took no time") for what no campaign holds.
CampaignRecord campaign_of_json(const nlohmann::ordered_json& json);

// Throws UsageError for what is no whole number from 0 to a thousand million.
int whole_number_of(const nlohmann::ordered_json& json);

struct SealedJson {
  nlohmann::ordered_json json;  // without its checksum
  std::string crc32;            // "0a1b2c3d": of the content, whatever its white space
};

// The text of a file that ends with its own checksum, and that checksum.
struct SealedText {
  std::string text;
  std::string crc32;
};
SealedText sealed(const nlohmann::ordered_json& json);

// Throws RunError naming the file where it is torn, edited or not of `schema`.
SealedJson read_sealed(const std::string& path, const std::string& schema);

}  // namespace traceml
