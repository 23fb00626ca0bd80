// pack_run_trace() of run_trace_file.h.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/codec/gzip_byte_stream.h"
#include "harness/codec/own_trace_facts.h"
#include "harness/codec/run_trace_file.h"

namespace traceml {
namespace {

// Rows of the picture that are no thread of the process have ids that no system gives.
constexpr std::int64_t kFirstDevice = 1'000'000'000;
constexpr std::int64_t kFirstLoaderRow = 2'000'000'000;
constexpr std::size_t kPieceBytes = 1 << 20;
constexpr Nanos kBusyBin = std::chrono::milliseconds(1);

std::string in_quotes(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An id as it is, where it is a number.
std::string id_text(const std::string& id) {
  const bool number = !id.empty() && id.size() < 18 && (id.size() == 1 || id.front() != '0') &&
                      id.find_first_not_of("0123456789") == std::string::npos;
  return number ? id : in_quotes(id);
}

std::string_view category_of(const HostSpan& span, std::string_view name) {
  switch (span.kind) {
    case HostKind::kCall:
      return name.starts_with("cu") && !name.starts_with("cuda") ? "cuda_driver" : "cuda_runtime";
    case HostKind::kOverhead:
      return "overhead";
    case HostKind::kOperator:
      return "cpu_op";
    case HostKind::kPython:
      return "python_function";
    case HostKind::kAnnotation:
      break;
  }
  return "user_annotation";
}

std::string_view category_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCopy:
      return "gpu_memcpy";
    case DeviceKind::kMemset:
      return "gpu_memset";
    case DeviceKind::kKernel:
      break;
  }
  return "kernel";
}

// "grid 128x1x1 block 256x1x1" as Kineto's two arrays.
std::string shape_text(const std::string& shape) {
  std::array<int, 6> sizes{};
  if (std::sscanf(shape.c_str(), "grid %dx%dx%d block %dx%dx%d", &sizes[0], &sizes[1], &sizes[2],
                  &sizes[3], &sizes[4], &sizes[5]) != 6) {
    return "";
  }
  return fmt::format(R"(,"grid":[{},{},{}],"block":[{},{},{}])", sizes[0], sizes[1], sizes[2],
                     sizes[3], sizes[4], sizes[5]);
}

class Writer {
 public:
  explicit Writer(const RunTrace& trace) : trace_(trace), events_(trace.events) {
    for (const std::string& name : events_.names) names_.push_back(in_quotes(name));
    base_ = first_time();
  }

  std::string write() {
    write_header();
    write_names();
    for (const HostSpan& span : events_.host) write_host(span);
    for (const OperatorSpan& span : trace_.operators) write_operator(span);
    for (const DeviceSpan& span : events_.device) write_device(span);
    write_flows();
    write_batches();
    write_counters();
    text_ += "\n]}\n";
    packed_.append(text_);
    return packed_.finish();
  }

 private:
  Nanos first_time() const {
    Nanos first = Nanos::max();
    for (const HostSpan& span : events_.host) first = std::min(first, span.start);
    for (const DeviceSpan& span : events_.device) first = std::min(first, span.start);
    for (const OperatorSpan& span : trace_.operators) first = std::min(first, span.start);
    for (const InputRecord& batch : trace_.inputs) first = std::min(first, batch.begun);
    return first == Nanos::max() ? Nanos{0} : first;
  }

  template <typename... Arguments>
  void put(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Arguments>(arguments)...);
  }

  // Opens an event behind the one before.
  void next() {
    if (text_.size() > kPieceBytes) {
      packed_.append(text_);
      text_.clear();
    }
    text_ += std::exchange(first_, false) ? "\n" : ",\n";
  }

  // Microseconds with all their nanoseconds.
  static std::string us(Nanos time) {
    const std::int64_t ns = time.count();
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns / 1000), std::abs(ns % 1000));
  }
  std::string at(Nanos time) const { return us(time - base_); }

  void write_header() {
    put(R"({{"schemaVersion":1,"distributedInfo":{{"rank":{},"world_size":{}}},)",
        trace_.rank.value, trace_.world_size);
    if (events_.facts.record_shapes) text_ += R"("record_shapes":1,)";
    put(R"("displayTimeUnit":"ms","baseTimeNanoseconds":{},)", (events_.base + base_).count());
    if (events_.facts.devices) {
      text_ += R"("deviceProperties":[)";
      for (std::size_t i = 0; i < events_.devices.size(); ++i) {
        put(R"({}{{"id":{},"name":{}}})", i == 0 ? "" : ",", id_text(events_.devices[i]),
            in_quotes(*events_.facts.devices));
      }
      text_ += "],";
    }
    put(R"("{}":{{"version":1)", kOwnTraceKey);
    for (const auto& [key, text] : own_texts(*events_.facts.own))
      put(R"(,"{}":{})", key, in_quotes(text));
    for (const auto& [key, number] : own_numbers(*events_.facts.own))
      put(R"(,"{}":{})", key, number);
    text_ += R"(},"traceEvents":[)";
  }

  void name_process(std::int64_t process, const std::string& name) {
    next();
    put(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process,
        in_quotes(name));
  }
  void name_thread(std::int64_t process, const std::string& thread, const std::string& name) {
    next();
    put(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process,
        thread, in_quotes(name));
  }

  void write_names() {
    name_process(trace_.rank.value, fmt::format("rank {}", trace_.rank.value));
    for (const HostThread& thread : events_.threads) {
      const std::string name = thread.name.empty() ? "thread " + thread.thread : thread.name;
      name_thread(trace_.rank.value, id_text(thread.thread), name);
    }
    for (std::size_t d = 0; d < events_.devices.size(); ++d) {
      name_process(device_process(static_cast<DeviceIndex>(d)),
                   fmt::format("rank {}, GPU {}", trace_.rank.value, events_.devices[d]));
    }
    for (const DeviceStream& stream : events_.streams) {
      name_thread(device_process(stream.device), id_text(stream.stream), "stream " + stream.stream);
    }
  }

  static std::int64_t device_process(DeviceIndex device) { return kFirstDevice + device; }

  void write_host(const HostSpan& span) {
    const std::string& name = events_.names[span.name];
    next();
    put(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{})",
        category_of(span, name), names_[span.name], trace_.rank.value,
        id_text(events_.threads[span.thread].thread), at(span.start), us(span.duration));
    if (span.correlation) put(R"(,"args":{{"correlation":{}}})", *span.correlation);
    if (const auto time = event_time(span)) put(R"(,"args":{{"device_ns":{}}})", time->count());
    text_ += "}";
  }

  void write_operator(const OperatorSpan& span) {
    next();
    put(R"({{"ph":"X","cat":"cpu_op","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{)",
        names_[span.name], trace_.rank.value, id_text(events_.threads[span.thread].thread),
        at(span.start), us(span.duration));
    if (span.sequence) put(R"("Sequence number":{},)", *span.sequence);
    put(R"("Input Dims":{}}}}})", span.dims ? events_.names[*span.dims] : "[]");
  }

  // What the event clock says of a phase: with the first of its ranges in a step.
  std::optional<Nanos> event_time(const HostSpan& span) {
    if (span.kind != HostKind::kAnnotation) return std::nullopt;
    const auto phase = phase_named(events_.names[span.name]);
    const auto end = std::upper_bound(trace_.step_ends.begin(), trace_.step_ends.end(), span.start);
    if (!phase || end == trace_.step_ends.end()) return std::nullopt;
    const auto step = events_.facts.own->first_step + (end - trace_.step_ends.begin());
    const auto record = std::find_if(trace_.steps.begin(), trace_.steps.end(),
                                     [&](const auto& one) { return one.step.value == step; });
    if (record == trace_.steps.end() || !told_.insert({step, *phase}).second) return std::nullopt;
    const auto& times = record->phases[index_of(*phase)];
    return times ? times->device : std::nullopt;
  }

  void write_device(const DeviceSpan& span) {
    const DeviceStream& stream = events_.streams[span.stream];
    next();
    put(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},)",
        category_of(span.kind), names_[span.name], device_process(stream.device),
        id_text(stream.stream), at(span.start), us(span.duration));
    put(R"("args":{{"device":{},"stream":{})", id_text(events_.devices[stream.device]),
        id_text(stream.stream));
    if (span.correlation) put(R"(,"correlation":{})", *span.correlation);
    if (span.bytes) put(R"(,"bytes":{})", *span.bytes);
    if (span.graph_node) put(R"(,"graph node id":{})", *span.graph_node);
    if (span.shape) text_ += shape_text(events_.names[*span.shape]);
    text_ += "}}";
  }

  // An arrow from each launch call to each piece of work that it caused.
  void write_flows() {
    std::map<std::int64_t, const HostSpan*> calls;
    for (const HostSpan& span : events_.host) {
      if (span.correlation) calls.emplace(*span.correlation, &span);
    }
    std::set<std::int64_t> begun;
    for (const DeviceSpan& span : events_.device) {
      const auto call = span.correlation ? calls.find(*span.correlation) : calls.end();
      if (call == calls.end()) continue;
      if (begun.insert(*span.correlation).second) {
        next();
        put(R"({{"ph":"s","cat":"ac2g","name":"ac2g","id":{},"pid":{},"tid":{},"ts":{}}})",
            *span.correlation, trace_.rank.value,
            id_text(events_.threads[call->second->thread].thread), at(call->second->start));
      }
      const DeviceStream& stream = events_.streams[span.stream];
      next();
      put(R"({{"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":{},"pid":{},"tid":{},"ts":{}}})",
          *span.correlation, device_process(stream.device), id_text(stream.stream), at(span.start));
    }
  }

  // Batches overlap: each goes to the first row that is free when it begins.
  void write_batches() {
    std::vector<InputRecord> batches = trace_.inputs;
    std::sort(batches.begin(), batches.end(),
              [](const auto& a, const auto& b) { return a.begun < b.begun; });
    std::vector<Nanos> row_ends;
    for (const InputRecord& batch : batches) {
      auto row = std::find_if(row_ends.begin(), row_ends.end(),
                              [&](Nanos end) { return end <= batch.begun; });
      if (row == row_ends.end()) row = row_ends.insert(row, Nanos{0});
      *row = batch.ready;
      write_batch(batch, kFirstLoaderRow + (row - row_ends.begin()));
    }
    for (std::size_t row = 0; row < row_ends.size(); ++row) {
      name_thread(trace_.rank.value,
                  std::to_string(kFirstLoaderRow + static_cast<std::int64_t>(row)),
                  fmt::format("loader, batch in work {}", row));
    }
  }

  void write_batch(const InputRecord& batch, std::int64_t row) {
    next();
    put(R"({{"ph":"X","cat":"loader","name":"batch {}","pid":{},"tid":{},"ts":{},"dur":{},)",
        batch.batch, trace_.rank.value, row, at(batch.begun), us(batch.ready - batch.begun));
    put(R"("args":{{"read_ns":{},"decode_ns":{},"resize_ns":{},"slot_wait_ns":{})",
        batch.read.count(), batch.decode.count(), batch.resize.count(), batch.slot_wait.count());
    if (batch.cpu) put(R"(,"cpu_ns":{})", batch.cpu->count());
    put(R"(,"taken_by_step":{}}}}})", batch.step.value);
  }

  void write_counter(std::string_view name, std::int64_t process, Nanos when,
                     const std::string& values) {
    next();
    put(R"({{"ph":"C","name":"{}","pid":{},"tid":0,"ts":{},"args":{{{}}}}})", name, process,
        at(when), values);
  }

  void write_counters() {
    for (const InputRecord& batch : trace_.inputs) {
      if (!batch.queue_depth) continue;
      write_counter("loader queue", trace_.rank.value, batch.asked,
                    fmt::format(R"("batches ready":{})", *batch.queue_depth));
    }
    for (const StepRecord& step : trace_.steps) {
      const auto place = static_cast<std::size_t>(step.step.value - events_.facts.own->first_step);
      if (!step.allocated_peak_bytes || place >= trace_.step_ends.size()) continue;
      write_counter("memory, peak of the step", trace_.rank.value, trace_.step_ends[place],
                    fmt::format(R"("allocated bytes":{},"reserved bytes":{})",
                                *step.allocated_peak_bytes, step.reserved_peak_bytes.value_or(0)));
    }
    for (std::size_t device = 0; device < events_.devices.size(); ++device) {
      write_busy(static_cast<DeviceIndex>(device));
    }
  }

  // Share of each millisecond in which anything ran.
  void write_busy(DeviceIndex device) {
    std::vector<std::pair<Nanos, Nanos>> work;
    for (const DeviceSpan& span : events_.device) {
      if (events_.streams[span.stream].device == device) work.emplace_back(span.start, span.end());
    }
    std::sort(work.begin(), work.end());
    std::map<std::int64_t, Nanos> bins;
    Nanos done = Nanos::min();
    for (auto [from, to] : work) {
      for (from = std::max(from, done); from < to;) {
        const std::int64_t bin = (from - base_) / kBusyBin;
        const Nanos end = std::min(to, base_ + (bin + 1) * kBusyBin);
        bins[bin] += end - from;
        from = end;
      }
      done = std::max(done, to);
    }
    if (bins.empty()) return;
    for (std::int64_t bin = bins.begin()->first; bin <= bins.rbegin()->first + 1; ++bin) {
      const auto found = bins.find(bin);
      const Nanos busy = found == bins.end() ? Nanos{0} : found->second;
      write_counter(
          "device busy", device_process(device), base_ + bin * kBusyBin,
          fmt::format(R"("percent":{:.1f})", 100.0 * static_cast<double>(busy.count()) /
                                                 static_cast<double>(Nanos(kBusyBin).count())));
    }
  }

  const RunTrace& trace_;
  const TimelineEvents& events_;
  std::vector<std::string> names_;  // quoted
  Nanos base_{0};
  GzipByteStream packed_;
  std::string text_;
  bool first_ = true;
  std::set<std::pair<std::int64_t, Phase>> told_;
};

}  // namespace

std::string pack_run_trace(const RunTrace& trace) {
  return Writer(trace).write();
}

}  // namespace traceml
