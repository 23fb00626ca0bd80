#include "workloads/input/csv_list.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/shown_entry.h"

namespace traceml {

namespace {

constexpr std::size_t kMostPath = 4095;  // bytes: PATH_MAX without its end
constexpr std::int32_t kMostLabel = 99'999;

struct Record {
  std::vector<std::string> fields;
  std::int64_t line = 0;  // of its first character
};

// Cuts a text into records. A quoted field may hold commas, line breaks and doubled quotes.
class CsvRecords {
 public:
  CsvRecords(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  // nullopt at the end of the text.
  std::optional<Record> next() {
    while (skip_line_end()) {
    }
    if (rest_.empty()) return std::nullopt;
    Record record{{}, line_};
    do {
      record.fields.push_back(rest_.starts_with('"') ? quoted_field() : plain_field());
    } while (skip(','));
    if (!rest_.empty() && !skip_line_end()) fail("has text behind a quoted field");
    return record;
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const {
    throw RunError(fmt::format("{}:{} of the data set {}", name_, line_, fault));
  }

  bool skip(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool skip_line_end() {
    const std::size_t size = rest_.starts_with("\r\n")                  ? 2
                             : rest_.starts_with('\n') || rest_ == "\r" ? 1
                                                                        : 0;
    rest_.remove_prefix(size);
    line_ += size > 0 ? 1 : 0;
    return size > 0;
  }

  std::string plain_field() {
    std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
    if (end < rest_.size() && rest_[end] == '\n' && end > 0 && rest_[end - 1] == '\r') --end;
    if (end == rest_.size() && rest_.ends_with('\r')) --end;
    const std::string field(rest_.substr(0, end));
    if (field.find('"') != field.npos) {
      fail(
          fmt::format("has a quote inside the field \"{}\"; quote the whole field and double "
                      "the quotes in it",
                      shown_entry(field)));
    }
    rest_.remove_prefix(end);
    return field;
  }

  std::string quoted_field() {
    std::string field;
    for (std::string_view ahead = rest_.substr(1);;) {
      const std::size_t quote = ahead.find('"');
      if (quote == ahead.npos) fail("has a quoted field that does not end");
      field += ahead.substr(0, quote);
      ahead.remove_prefix(quote + 1);
      if (!ahead.starts_with('"')) {
        const auto taken = static_cast<std::size_t>(ahead.data() - rest_.data());
        line_ +=
            std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(taken), '\n');
        rest_ = ahead;
        return field;
      }
      field += '"';
      ahead.remove_prefix(1);
    }
  }

  std::string_view rest_;
  const std::string& name_;
  std::int64_t line_ = 1;
};

// nullopt for what is no integer: a class name.
std::optional<std::int64_t> integer_of(const std::string& label) {
  std::int64_t value = 0;
  const char* end = label.data() + label.size();
  const auto [stop, error] = std::from_chars(label.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc::result_out_of_range ? std::int64_t{kMostLabel} + 1 : value;
}

class ListBuilder {
 public:
  explicit ListBuilder(const std::string& name) : name_(name) {}

  void add(const Record& record) {
    if (record.fields.size() != 2) {
      fail(record.line, fmt::format("has {} field{}; it must be path,label", record.fields.size(),
                                    record.fields.size() == 1 ? "" : "s"));
    }
    const std::string& path = record.fields[0];
    if (path.empty() || path.size() > kMostPath || path.find('\0') != path.npos) {
      fail(record.line, fmt::format("has the path \"{}\", which names no file", shown_entry(path)));
    }
    samples_.push_back({path, label_of(record), record.line});
  }

  CsvList build() {
    check_paths();
    CsvList list;
    if (names_.empty()) {
      for (int label = 0; label <= largest_; ++label) list.classes.push_back(std::to_string(label));
    }
    std::map<std::string_view, std::int32_t> labels;
    for (const auto& [class_name, unused] : names_) {
      labels.emplace(class_name, static_cast<std::int32_t>(list.classes.size()));
      list.classes.push_back(class_name);
    }
    list.samples.reserve(samples_.size());
    for (Entry& entry : samples_) {
      const Label& of = entry.label;
      const std::int32_t label = of.name == nullptr ? of.integer : labels.at(*of.name);
      list.samples.push_back({{std::move(entry.path), label}, entry.line});
    }
    return list;
  }

 private:
  struct Label {
    const std::string* name = nullptr;  // in names_; null: `integer` is the label
    std::int32_t integer = 0;
    friend bool operator==(const Label&, const Label&) = default;
  };
  struct Entry {
    std::string path;
    Label label;
    std::int64_t line;
  };

  [[noreturn]] void fail(std::int64_t line, const std::string& fault) const {
    throw RunError(fmt::format("{}:{} of the data set {}", name_, line, fault));
  }

  Label label_of(const Record& record) {
    const std::string& text = record.fields[1];
    if (text.empty()) fail(record.line, "has no label");
    const std::optional<std::int64_t> integer = integer_of(text);
    if (!first_line_) {
      first_line_ = record.line;
      integers_ = integer.has_value();
    }
    if (integer.has_value() != integers_) {
      fail(record.line, fmt::format("has the label \"{}\", which is {}, but labels are {} from "
                                    "line {} on; use one kind",
                                    shown_entry(text), integer ? "an integer" : "no integer",
                                    integers_ ? "integers" : "names", *first_line_));
    }
    if (!integer) return {&names_.emplace(text, 0).first->first, 0};
    if (*integer < 0 || *integer > kMostLabel) {
      fail(record.line,
           fmt::format("has the label {}; labels run from 0 to {}", shown_entry(text), kMostLabel));
    }
    largest_ = std::max(largest_, static_cast<std::int32_t>(*integer));
    return {nullptr, static_cast<std::int32_t>(*integer)};
  }

  void check_paths() const {
    std::map<std::string_view, const Entry*> known;
    for (const Entry& entry : samples_) {
      const Entry& first = *known.emplace(entry.path, &entry).first->second;
      if (first.label == entry.label) continue;
      fail(entry.line,
           fmt::format("gives {} another label than line {}", shown_entry(entry.path), first.line));
    }
  }

  const std::string& name_;
  std::vector<Entry> samples_;
  std::map<std::string, int> names_;  // stable addresses
  std::optional<std::int64_t> first_line_;
  bool integers_ = false;
  std::int32_t largest_ = -1;
};

}  // namespace

CsvList read_csv_list(const std::string& text, const std::string& name) {
  CsvRecords records(text, name);
  ListBuilder builder(name);
  bool first = true;
  while (const std::optional<Record> record = records.next()) {
    const bool head = first && record->fields == std::vector<std::string>{"path", "label"};
    if (!head) builder.add(*record);
    first = false;
  }
  return builder.build();
}

}  // namespace traceml
