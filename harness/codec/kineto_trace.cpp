#include "harness/codec/kineto_trace.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <utility>
#include <vector>

#include "harness/codec/byte_stream.h"
#include "harness/codec/kineto_event.h"
#include "harness/codec/kineto_fields.h"
#include "harness/codec/own_trace_facts.h"
#include "harness/codec/trace_time.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

constexpr std::size_t kDeepest = 100;  // far deeper than any profiler writes

// RapidJSON's stream of characters over pieces of bytes.
class Characters {
 public:
  using Ch = char;

  explicit Characters(ByteStream& bytes) : bytes_(bytes) { take_piece(); }

  Ch Peek() const { return at_ == end_ ? '\0' : *at_; }
  Ch Take() {
    if (at_ == end_) return '\0';
    const Ch taken = *at_++;
    if (at_ == end_) take_piece();
    return taken;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - begin_); }
  bool at_end() const { return at_ == end_; }

  // Asked for by RapidJSON's concept; a source is never written to.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }

 private:
  void take_piece() {
    before_ += static_cast<std::size_t>(end_ - begin_);
    const std::string_view piece = bytes_.next();
    begin_ = at_ = piece.data();
    end_ = begin_ + piece.size();
  }

  ByteStream& bytes_;
  std::size_t before_ = 0;  // bytes of earlier pieces
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

// What an open object or array is.
enum class Level {
  kHeader,
  kEvents,
  kEvent,
  kArgs,
  kGrid,
  kBlock,
  kDims,
  kDistributed,
  kDevices,
  kDevice,
  kOwn,
  kOther
};

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class TraceHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TraceHandler> {
 public:
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    field_ = Field::kOther;
    const std::string_view key(text, size);
    if (levels_.back() == Level::kOwn) own_key_ = key;
    switch (levels_.back()) {
      case Level::kHeader:
        field_ = header_field(key);
        break;
      case Level::kEvent:
        field_ = event_field(key);
        break;
      case Level::kArgs:
        field_ = args_field(key);
        break;
      case Level::kDistributed:
        field_ = distributed_field(key);
        break;
      case Level::kDevice:
        field_ = key == "name" ? Field::kDeviceName : Field::kOther;
        break;
      default:
        break;
    }
    return true;
  }

  bool StartObject() { return open(true); }
  bool StartArray() { return open(false); }
  bool EndArray(rapidjson::SizeType) {
    if (levels_.back() == Level::kDims) event_.shape.end_array();
    return close();
  }
  bool EndObject(rapidjson::SizeType) {
    if (levels_.back() == Level::kEvent) {
      if (const auto what = builder_.add(event_)) return fail(*what);
    } else if (levels_.back() == Level::kDevice) {
      builder_.add_listed_device(device_name_);
    }
    return close();
  }

  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (levels_.empty()) return fail_top();
    if (levels_.back() == Level::kOwn) set_own_text(own_key_, {text, size}, &own());
    if (field_ != Field::kOther) take_text({text, size});
    return true;
  }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    if (levels_.empty()) return fail_top();
    const std::string_view number(text, size);
    if (levels_.back() == Level::kGrid) return take_size(&event_.grid, number);
    if (levels_.back() == Level::kBlock) return take_size(&event_.block, number);
    if (levels_.back() == Level::kDims) {
      event_.shape.add(number);
      return true;
    }
    if (levels_.back() == Level::kOwn) {
      if (const auto value = whole<std::int64_t>(number)) set_own_number(own_key_, *value, &own());
    }
    if (field_ != Field::kOther) take_number(number);
    return true;
  }
  bool Default() { return !levels_.empty() || fail_top(); }  // null, true, false

  bool has_events() const { return has_events_; }
  const std::string& fault() const { return fault_; }
  TimelineBuilder& builder() { return builder_; }

 private:
  OwnTraceFacts& own() {
    auto& facts = builder_.facts().own;
    return facts ? *facts : facts.emplace();
  }

  bool fail(const std::string& what) {
    fault_ = fmt::format("event {} {}", builder_.facts().events, what);
    return false;
  }
  bool fail_top() {
    fault_ = "is no trace: its top level is neither an object nor an array";
    return false;
  }

  Level inner_level(bool object) const {
    if (levels_.empty()) return object ? Level::kHeader : Level::kEvents;
    switch (levels_.back()) {
      case Level::kHeader:
        if (field_ == Field::kTraceEvents && !object) return Level::kEvents;
        if (field_ == Field::kDistributedInfo && object) return Level::kDistributed;
        if (field_ == Field::kDeviceProperties && !object) return Level::kDevices;
        if (field_ == Field::kOwn && object) return Level::kOwn;
        return Level::kOther;
      case Level::kEvents:
        return object ? Level::kEvent : Level::kOther;
      case Level::kEvent:
        return field_ == Field::kArgs && object ? Level::kArgs : Level::kOther;
      case Level::kArgs:
        if (field_ == Field::kGrid && !object) return Level::kGrid;
        if (field_ == Field::kInputDims && !object) return Level::kDims;
        return field_ == Field::kBlock && !object ? Level::kBlock : Level::kOther;
      case Level::kDims:
        return object ? Level::kOther : Level::kDims;
      case Level::kDevices:
        return object ? Level::kDevice : Level::kOther;
      default:
        return Level::kOther;
    }
  }

  bool open(bool object) {
    if (levels_.size() >= kDeepest) {
      fault_ = fmt::format("is nested deeper than {} levels", kDeepest);
      return false;
    }
    levels_.push_back(inner_level(object));
    field_ = Field::kOther;
    if (levels_.back() == Level::kDims) event_.shape.begin_array();
    if (levels_.back() == Level::kEvents) has_events_ = true;
    if (levels_.back() == Level::kOwn) own();
    if (levels_.back() == Level::kEvent) event_.clear();
    if (levels_.back() == Level::kDevice) device_name_.clear();
    if (levels_.back() == Level::kGrid || levels_.back() == Level::kBlock) dimension_ = 0;
    return true;
  }
  bool close() {
    levels_.pop_back();
    field_ = Field::kOther;
    return true;
  }

  bool take_size(std::array<std::optional<std::int64_t>, 3>* size, std::string_view text) {
    if (dimension_ < size->size()) (*size)[dimension_++] = whole<std::int64_t>(text);
    return true;
  }

  void take_text(std::string_view text) {
    if (field_ == Field::kDeviceName) {
      device_name_ = text;
    } else if (std::string* place = text_of(field_, &event_)) {
      *place = text;
    } else if (field_ == Field::kStart) {
      event_.has_start = true;
    } else if (std::optional<std::int64_t>* number = number_of(field_, &event_)) {
      *number = whole<std::int64_t>(text);  // some writers quote sequence numbers
    }
  }

  void take_number(std::string_view text) {
    switch (field_) {
      case Field::kStart:
        event_.has_start = true;
        event_.start = trace_time(text);
        return;
      case Field::kDuration:
        event_.duration = trace_time(text);
        return;
      case Field::kGroupSize:
        event_.collective.group_size = whole<int>(text);
        return;
      case Field::kBaseNanoseconds:
        if (const auto base = whole<std::int64_t>(text)) builder_.set_base(*base);
        return;
      case Field::kRank:
        if (const auto rank = whole<int>(text); rank && *rank >= 0) builder_.set_rank(*rank);
        return;
      case Field::kWorldSize:
        if (const auto ranks = whole<int>(text); ranks && *ranks > 0)
          builder_.set_world_size(*ranks);
        return;
      case Field::kWithStack:
        builder_.facts().with_stack = text != "0";
        return;
      case Field::kRecordShapes:
        builder_.facts().record_shapes = text != "0";
        return;
      case Field::kProfileMemory:
        builder_.facts().profile_memory = text != "0";
        return;
      default:
        break;
    }
    if (std::optional<std::int64_t>* number = number_of(field_, &event_)) {
      *number = whole<std::int64_t>(text);
    } else if (std::string* place = text_of(field_, &event_)) {
      *place = text;  // pid, tid, device, stream: ids, which need not be numbers
    }
  }

  std::vector<Level> levels_;
  Field field_ = Field::kOther;
  std::size_t dimension_ = 0;
  bool has_events_ = false;
  KinetoEvent event_;
  std::string device_name_;
  std::string own_key_;
  std::string fault_;
  TimelineBuilder builder_;
};

TimelineEvents parse(ByteStream& bytes, const std::string& name) {
  Characters characters(bytes);
  TraceHandler handler;
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(characters, handler);
  if (result.IsError()) {
    const std::string where = fmt::format("{}, byte {}", name, result.Offset());
    if (!handler.fault().empty()) throw RunError(where + ": " + handler.fault());
    if (characters.at_end()) {
      throw RunError(where + ": it ends too early to be a whole trace; was the job stopped while " +
                     "it wrote it?");
    }
    throw RunError(fmt::format("{}: is not JSON here ({})", where,
                               rapidjson::GetParseError_En(result.Code())));
  }
  if (!characters.at_end()) {  // a zero byte, which is the end to the parser
    throw RunError(
        fmt::format("{}, byte {}: more follows behind the end of the trace; copy it again", name,
                    characters.Tell()));
  }
  if (!handler.has_events()) {
    throw RunError(name + ": holds no traceEvents; it must be a Chrome trace of torch.profiler");
  }
  return handler.builder().take();
}

}  // namespace

TimelineEvents read_kineto_trace(const std::string& path) {
  return parse(*open_byte_stream(path), path);
}

TimelineEvents read_kineto_bytes(std::string_view bytes, const std::string& name) {
  return parse(*byte_stream_of(bytes, name), name);
}

}  // namespace traceml
