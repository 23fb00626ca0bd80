#include "harness/codec/kineto_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

template <class Kind>
struct Category {
  std::string_view name;
  Kind kind;
};

// Kineto's names now, and as its first versions wrote them. hip_*: the same of AMD's runtime.
constexpr std::array<Category<DeviceKind>, 6> kDeviceCategories = {
    {{"kernel", DeviceKind::kKernel},
     {"gpu_memcpy", DeviceKind::kCopy},
     {"gpu_memset", DeviceKind::kMemset},
     {"Kernel", DeviceKind::kKernel},
     {"Memcpy", DeviceKind::kCopy},
     {"Memset", DeviceKind::kMemset}}};
constexpr std::array<Category<HostKind>, 10> kHostCategories = {
    {{"cpu_op", HostKind::kOperator},
     {"python_function", HostKind::kPython},
     {"cuda_runtime", HostKind::kCall},
     {"cuda_driver", HostKind::kCall},
     {"user_annotation", HostKind::kAnnotation},
     {"overhead", HostKind::kOverhead},
     {"hip_runtime", HostKind::kCall},
     {"hip_driver", HostKind::kCall},
     {"Operator", HostKind::kOperator},
     {"Runtime", HostKind::kCall}}};

template <class Kind, std::size_t N>
std::optional<Kind> kind_of(const std::array<Category<Kind>, N>& categories,
                            std::string_view name) {
  for (const Category<Kind>& category : categories) {
    if (category.name == name) return category.kind;
  }
  return std::nullopt;
}

// A process drives at most some 16. What is said of each device takes a pass over all its work.
constexpr std::size_t kMostDevices = 256;

// Of memory, where the number can be one: no machine has more.
std::optional<std::int64_t> as_bytes(std::optional<std::int64_t> number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::string size_text(const std::array<std::optional<std::int64_t>, 3>& size) {
  return fmt::format("{}x{}x{}", size[0].value_or(1), size[1].value_or(1), size[2].value_or(1));
}

}  // namespace

void KinetoEvent::clear() {
  for (std::string* text :
       {&phase, &category, &name, &process, &thread, &device, &stream, &thread_name,
        &collective.operation, &collective.group, &collective.type}) {
    text->clear();  // keeps its memory for the next event
  }
  shape.clear();
  start = duration = std::nullopt;
  has_start = false;
  correlation = bytes = graph_node = std::nullopt;
  memory_allocated = memory_reserved = memory_device = memory_kind = std::nullopt;
  grid = block = {};
  collective.sequence = collective.elements_in = collective.elements_out = std::nullopt;
  collective.group_size = std::nullopt;
}

std::uint32_t NameTable::index_of(std::string_view name) {
  const auto found = indices_.find(name);
  if (found != indices_.end()) return found->second;
  const auto known = shortened_.find(name);
  if (known != shortened_.end()) return known->second;
  std::string shared = name_without_folders(name);
  const bool is_shorter = shared != name;
  const auto next = static_cast<std::uint32_t>(indices_.size());
  const std::uint32_t index = indices_.try_emplace(std::move(shared), next).first->second;
  if (is_shorter) shortened_.emplace(name, index);
  return index;
}

std::vector<std::string> NameTable::take() {
  std::vector<std::string> names(indices_.size());
  while (!indices_.empty()) {
    auto node = indices_.extract(indices_.begin());
    names[node.mapped()] = std::move(node.key());
  }
  return names;
}

std::optional<std::string> TimelineBuilder::add(const KinetoEvent& event) {
  ++events_.facts.events;
  if (event.phase == "M" && event.name == "thread_name") {
    events_.threads[thread_of(event)].name = event.thread_name;
    return std::nullopt;
  }
  if (event.name == "[memory]") add_memory(event);
  if (event.phase != "X") return too_many_devices();
  if (event.category == "cuda_sync") ++events_.facts.sync_events;
  const auto device = kind_of(kDeviceCategories, event.category);
  const auto host = kind_of(kHostCategories, event.category);
  if (!device && !host) return std::nullopt;
  if (!event.has_start) return "has no ts";
  if (!event.start) return "has a ts that is no time in microseconds";
  if (!event.duration) {
    ++events_.facts.without_duration;
    return std::nullopt;
  }
  if (host) add_host(event, *host);
  if (device) add_device(event, *device);
  return too_many_devices();
}

std::optional<std::string> TimelineBuilder::too_many_devices() const {
  const std::size_t most = std::max(events_.devices.size(), events_.memories.size());
  if (most <= kMostDevices) return std::nullopt;
  return fmt::format("is of one more device than the {} that a trace may hold", kMostDevices);
}

void TimelineBuilder::add_host(const KinetoEvent& event, HostKind kind) {
  HostSpan span;
  span.start = *event.start;
  span.duration = *event.duration;
  if (kind == HostKind::kCall) span.correlation = event.correlation;
  span.name = names_.index_of(event.name);
  if (kind == HostKind::kOperator && !event.shape.text().empty()) {
    span.shape = names_.index_of(event.shape.text());
  }
  span.thread = thread_of(event);
  span.kind = kind;
  events_.host.push_back(span);
}

void TimelineBuilder::add_device(const KinetoEvent& event, DeviceKind kind) {
  if (event.start->count() == 0 && event.duration->count() == 0) {
    ++events_.facts.zero_device_times;
    return;
  }
  DeviceSpan span;
  span.start = *event.start;
  span.duration = *event.duration;
  span.correlation = event.correlation;
  if (kind != DeviceKind::kKernel) span.bytes = as_bytes(event.bytes);
  span.graph_node = event.graph_node;
  span.name = names_.index_of(event.name);
  span.stream = stream_of(event);
  span.kind = kind;
  if (event.grid[0] && event.block[0]) {
    span.shape =
        names_.index_of("grid " + size_text(event.grid) + " block " + size_text(event.block));
  }
  const CollectiveFacts& collective = event.collective;
  if (!collective.operation.empty() || collective.sequence) {
    span.collective = static_cast<std::uint32_t>(events_.collectives.size());
    events_.collectives.push_back(collective);
  }
  std::int64_t& step = events_.facts.device_time_step_ns;
  if (step != 1) step = std::gcd(std::gcd(step, span.start.count()), span.duration.count());
  events_.device.push_back(span);
}

void TimelineBuilder::add_memory(const KinetoEvent& event) {
  const auto allocated = as_bytes(event.memory_allocated);
  if (!event.start || !allocated) return;
  const bool host = event.memory_kind == 0;  // c10::DeviceType::CPU
  const std::string name = host ? "host" : std::to_string(event.memory_device.value_or(0));
  const auto index = static_cast<MemoryIndex>(events_.memories.size());
  const auto [memory, is_new] = memories_.try_emplace(name, index);
  if (is_new) events_.memories.push_back(name);
  events_.memory.push_back({*event.start, *allocated, as_bytes(event.memory_reserved),
                            thread_of(event), memory->second});
}

void TimelineBuilder::set_base(std::int64_t ns) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  if (ns >= 0 && ns <= kMost) events_.base = Nanos{ns};
}

ThreadIndex TimelineBuilder::thread_of(const KinetoEvent& event) {
  const auto index = static_cast<ThreadIndex>(events_.threads.size());
  const auto [place, is_new] = threads_.try_emplace({event.process, event.thread}, index);
  if (is_new) events_.threads.push_back({event.process, event.thread, ""});
  return place->second;
}

StreamIndex TimelineBuilder::stream_of(const KinetoEvent& event) {
  const std::string& device = event.device.empty() ? event.process : event.device;
  const std::string& stream = event.stream.empty() ? event.thread : event.stream;
  const auto index = static_cast<StreamIndex>(events_.streams.size());
  const auto [place, is_new] = streams_.try_emplace({device, stream}, index);
  if (!is_new) return place->second;
  const auto next = static_cast<DeviceIndex>(events_.devices.size());
  const auto [known, new_device] = devices_.try_emplace(device, next);
  if (new_device) events_.devices.push_back(device);
  events_.streams.push_back({known->second, stream});
  return index;
}

TimelineEvents TimelineBuilder::take() {
  events_.names = names_.take();
  std::string devices;
  for (const auto& [name, count] : listed_) {
    events_.facts.listed_devices += count;
    if (!devices.empty()) devices += ", ";
    devices += fmt::format("{} x {}", count, name.empty() ? "unnamed" : name);
  }
  if (!listed_.empty()) events_.facts.devices = devices;
  return std::move(events_);
}

}  // namespace traceml
