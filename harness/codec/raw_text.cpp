#include "harness/codec/raw_text.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "harness/codec/atomic_file.h"
#include "harness/codec/checksummed_file.h"
#include "harness/codec/crc32.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// "lines 12 to 14", "line 12".
std::string lines(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
}

// Cuts the text into groups, line by line.
class GroupScanner {
 public:
  GroupScanner(RawText* raw, bool accept_edited, std::vector<std::string>* warnings)
      : raw_(raw), accept_edited_(accept_edited), warnings_(warnings) {}

  void scan(const RawOpening& opening) {
    const std::string_view text = raw_->text;
    // A file that died with its first lines says nothing else than that.
    if ((opening.header + "\n" + opening.identity).starts_with(text)) {
      warnings_->push_back(raw_->name + " is empty: its rank ended before a window");
      return;
    }
    raw_->header = opening.header;
    if (!opening.older_header.empty() && text.starts_with(opening.older_header + "\n")) {
      raw_->header = opening.older_header;
    }
    if (!text.starts_with(raw_->header + "\n")) {
      throw RunError(fmt::format("{}:1: these are not the columns of this version; expected {}",
                                 raw_->path, opening.header));
    }
    group_.begin = raw_->header.size() + 1;
    group_.first_line = 2;
    check_identity(opening.identity);
    std::size_t at = group_.begin;
    std::int64_t line = group_.first_line;
    while (at < text.size()) {
      const void* found = std::memchr(text.data() + at, '\n', text.size() - at);
      if (found == nullptr) break;
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
      if (text[at] == '#') {
        close_group(at, end, line);
      } else {
        ++group_.rows;
      }
      at = end;
      ++line;
    }
    if (group_.begin < text.size()) warn_of_tail(at < text.size() ? line : line - 1);
  }

 private:
  void check_identity(const std::string& wanted) {
    const std::string_view rest = std::string_view(raw_->text).substr(group_.begin);
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (line.starts_with(kIdentity)) {
      group_.begin += end == rest.npos ? rest.size() : end + 1;
      ++group_.first_line;
    }
    if (line == wanted) return;
    if (!accept_edited_) {
      throw RunError(fmt::format(
          "{} belongs to another run or rank: its second line is not '{}'; put the file back that "
          "this run wrote, or read this one all the same with --accept-edited",
          raw_->path, wanted));
    }
    warnings_->push_back(raw_->name +
                         " belongs to another run or rank; read because of --accept-edited");
  }

  void close_group(std::size_t at, std::size_t end, std::int64_t line) {
    const std::string_view text = raw_->text;
    crc_ = crc32(text.substr(checked_, at - checked_), crc_);
    group_.end = at;
    const std::string wanted = checksum_line(crc_, group_.rows);
    if (text.substr(at, end - at) != wanted) complain(line);
    raw_->groups.push_back(group_);
    crc_ = crc32(text.substr(at, end - at), crc_);
    checked_ = end;
    group_ = {end, end, line + 1, 0};
  }

  // With a checksum over all that came before, everything after the first edited line mismatches:
  // the first mismatch names the place.
  void complain(std::int64_t line) {
    const std::string where = lines(group_.first_line, line);
    if (!accept_edited_) {
      throw RunError(
          fmt::format("{}:{}: {} were edited: they do not match the checksum in line {}; "
                      "--accept-edited reads the file all the same",
                      raw_->path, group_.first_line, where, line));
    }
    if (!told_) {
      warnings_->push_back(
          fmt::format("{}: {} were edited; read because of --accept-edited", raw_->name, where));
    }
    told_ = true;
  }

  void warn_of_tail(std::int64_t last_line) {
    warnings_->push_back(
        fmt::format("{}: {} at its end: no checksum line follows (the rank ended while it wrote); "
                    "left out",
                    raw_->name, lines(group_.first_line, last_line)));
  }

  RawText* raw_;
  bool accept_edited_;
  std::vector<std::string>* warnings_;
  RawGroup group_;
  std::size_t checked_ = 0;
  std::uint32_t crc_ = 0;
  bool told_ = false;
};

}  // namespace

RawText read_raw_text(const std::string& dir, const std::string& name, const RawOpening& opening,
                      bool accept_edited, std::vector<std::string>* warnings) {
  RawText raw;
  raw.name = name;
  raw.path = dir + "/" + raw.name;
  raw.text = read_whole_file(raw.path);
  GroupScanner(&raw, accept_edited, warnings).scan(opening);
  return raw;
}

}  // namespace traceml
