#pragma once
// From the fields of one Chrome trace event to the plain data of a timeline. For sources of this
// room.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/codec/kineto_shape.h"
#include "harness/core/timeline_events.h"

namespace traceml {

// The fields that matter, as they stood in the file; numbers as their text.
struct KinetoEvent {
  std::string phase, category, name;  // "ph", "cat", "name"
  std::string process, thread;        // "pid", "tid"
  std::string device, stream;         // of "args"; empty: not there
  std::optional<Nanos> start, duration;
  bool has_start = false;  // there was a "ts", whatever it was
  std::optional<std::int64_t> correlation, bytes, graph_node;
  std::array<std::optional<std::int64_t>, 3> grid, block;
  CollectiveFacts collective;
  ShapeText shape;  // of an operator's inputs
  std::optional<std::int64_t> memory_allocated, memory_reserved, memory_device, memory_kind;
  std::string thread_name;  // "args": {"name": ...} of a thread_name event

  void clear();
};

// Texts, each kept once, without the folders of the machine that they came from: whatever is said
// of a trace may be shared.
class NameTable {
 public:
  std::uint32_t index_of(std::string_view name);
  std::vector<std::string> take();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Indices = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;
  Indices indices_;
  Indices shortened_;  // names as the file has them, of which indices_ has a shorter form
};

class TimelineBuilder {
 public:
  // nullopt, or what is wrong with it: "has no ts".
  std::optional<std::string> add(const KinetoEvent& event);

  TimelineFacts& facts() { return events_.facts; }
  void set_rank(int rank) { events_.rank = rank; }
  void set_world_size(int ranks) { events_.world_size = ranks; }
  void set_base(std::int64_t ns);  // of the clock; what is no Unix time is left out
  void add_listed_device(const std::string& name) { ++listed_[name]; }

  TimelineEvents take();

 private:
  void add_host(const KinetoEvent& event, HostKind kind);
  void add_device(const KinetoEvent& event, DeviceKind kind);
  void add_memory(const KinetoEvent& event);
  std::optional<std::string> too_many_devices() const;
  ThreadIndex thread_of(const KinetoEvent& event);
  StreamIndex stream_of(const KinetoEvent& event);

  using Place = std::pair<std::string, std::string>;
  TimelineEvents events_;
  NameTable names_;
  std::map<Place, ThreadIndex> threads_;
  std::map<Place, StreamIndex> streams_;
  std::map<std::string, DeviceIndex> devices_;
  std::map<std::string, MemoryIndex> memories_;
  std::map<std::string, std::int64_t> listed_;  // how many of each name the header has
};

}  // namespace traceml
