#pragma once
// A YAML text as a tree of raw scalars with their places, before any meaning is given to them: no
// scalar is read as a number or boolean here (yaml-cpp reads 010 as 8 and yes as true).

#include <string>
#include <vector>

namespace traceml {

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
  std::string text;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // of a map
};

// Keys are scalars and unique in their map.
struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

// "quickstart.yaml:12:5"
std::string place_of(const std::string& name, const YamlNode& node);

// The node as one line of flow YAML, scalars as they stand: "[{a: 1}, {b: {c: 2}}]".
std::string flow_text(const YamlNode& node);

// The one document of `text`, a map at its top. `name` opens each message. Throws UsageError for
// text that is no UTF-8 or no YAML, for duplicate keys, anchors, aliases and tags, and for more
// than 1 MiB or 16 levels.
YamlNode parse_yaml(const std::string& text, const std::string& name);

}  // namespace traceml
