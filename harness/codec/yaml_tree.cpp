#include "harness/codec/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <unordered_map>

#include "harness/codec/text_check.h"
#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr std::size_t kMaxDepth = 16;

// Builds the tree from yaml-cpp's events. yaml-cpp recurses once per level after each event, so
// that refusing a level here also bounds its stack.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& name) : name_(name), text_(text) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) fail(mark, "a second document; a config is one document, without '---'");
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(mark); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    add(node(YamlNode::Kind::kNull, mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    check_quotes(mark);
    YamlNode scalar = node(YamlNode::Kind::kScalar, mark);
    scalar.text = value;
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    std::vector<YamlNode> pending_key;  // a map's key that waits for its value: none or one
    std::unordered_map<std::string, int> key_lines;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw UsageError(place_of(name_, node(YamlNode::Kind::kNull, mark)) + ": " + what);
  }

  [[noreturn]] void refuse_alias(const YAML::Mark& mark) const {
    fail(mark, "anchors and aliases (& and *) are not supported; write the value out");
  }

  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode made;
    made.kind = kind;
    made.line = mark.line + 1;
    made.column = mark.column + 1;
    return made;
  }

  // yaml-cpp gives plain scalars the tag "?", quoted ones "!", collections "?" or none.
  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse_alias(mark);
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, "the tag '" + tag + "' is not supported; write the value without a tag");
    }
  }

  // yaml-cpp takes a quote that nothing closes for a scalar that runs to the end of the text.
  void check_quotes(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line);
    if (line >= line_starts_.size()) return;
    const std::size_t opening = line_starts_[line] + static_cast<std::size_t>(mark.column);
    if (opening >= text_.size()) return;
    const char quote = text_[opening];
    if (quote != '"' && quote != '\'') return;
    for (std::size_t i = opening + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\' && quote == '"') {
        ++i;
      } else if (text_[i] == quote) {
        const bool doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;
        if (!doubled) return;
        ++i;
      }
    }
    fail(mark, "a quote that is never closed");
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check(mark, tag, anchor);
    if (levels_.size() >= kMaxDepth) {
      fail(mark, fmt::format("more than {} levels of nesting", kMaxDepth));
    }
    levels_.push_back({node(kind, mark), {}, {}});
  }

  void close() {
    YamlNode done = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode done) {
    if (levels_.empty()) {
      root_ = std::move(done);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::kSequence) {
      level.node.items.push_back(std::move(done));
    } else if (level.pending_key.empty()) {
      check_key(level, done);
      level.pending_key.push_back(std::move(done));
    } else {
      level.node.entries.push_back({std::move(level.pending_key.back()), std::move(done)});
      level.pending_key.clear();
    }
  }

  void check_key(Level& level, const YamlNode& key) const {
    const std::string place = place_of(name_, key);
    if (key.kind != YamlNode::Kind::kScalar) throw UsageError(place + ": a key must be one word");
    const auto [other, is_new] = level.key_lines.emplace(key.text, key.line);
    if (is_new) return;
    throw UsageError(fmt::format("{}: key '{}' was given before, on line {}; keep one of them",
                                 place, key.text, other->second));
  }

  const std::string& name_;
  const std::string& text_;
  std::vector<std::size_t> line_starts_;
  int documents_ = 0;
  std::vector<Level> levels_;
  YamlNode root_;
};

}  // namespace

std::string place_of(const std::string& name, const YamlNode& node) {
  return fmt::format("{}:{}:{}", name, node.line, node.column);
}

std::string flow_text(const YamlNode& node) {
  std::string text;
  const auto comma = [&] { return text.empty() ? "" : ", "; };
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "";
    case YamlNode::Kind::kScalar:
      return node.text;
    case YamlNode::Kind::kSequence:
      for (const YamlNode& item : node.items) text += comma() + flow_text(item);
      return "[" + text + "]";
    case YamlNode::Kind::kMap:
      for (const auto& [key, value] : node.entries) {
        text += comma() + key.text + ": " + flow_text(value);
      }
      return "{" + text + "}";
  }
  return text;
}

YamlNode parse_yaml(const std::string& text, const std::string& name) {
  check_config_bytes(text, name);
  std::istringstream stream(text);
  TreeBuilder builder(text, name);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    std::string what = error.msg;
    std::replace_if(
        what.begin(), what.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    throw UsageError(fmt::format("{}:{}:{}: not valid YAML: {}", name, error.mark.line + 1,
                                 error.mark.column + 1, what));
  }
  YamlNode root = builder.take();
  if (root.kind == YamlNode::Kind::kNull) {
    throw UsageError(
        name + ": holds no keys; it needs at least the data set, as 'input: {dataset: my-images}'");
  }
  if (root.kind != YamlNode::Kind::kMap) {
    throw UsageError(place_of(name, root) + ": a config is a map of keys, as 'name: my-run'");
  }
  return root;
}

}  // namespace traceml
