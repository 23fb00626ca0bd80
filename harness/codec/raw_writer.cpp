#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "harness/codec/checksummed_file.h"
#include "harness/codec/raw_files.h"
#include "harness/codec/raw_format.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

// Appends ",value", or "," for null.
template <typename T>
void add(std::string* row, const std::optional<T>& value) {
  row->push_back(',');
  if (value) fmt::format_to(std::back_inserter(*row), "{}", *value);
}

void add(std::string* row, const std::optional<Nanos>& value) {
  row->push_back(',');
  if (value) fmt::format_to(std::back_inserter(*row), "{}", value->count());
}

void add(std::string* row, const std::optional<WindowIndex>& window) {
  row->push_back(',');
  if (window) fmt::format_to(std::back_inserter(*row), "{}", window->value);
}

void add(std::string* row, const std::optional<DualTime>& time) {
  if (time && !time->host && !time->device) {
    row->append(",").append(kUntimed).append(",");
    return;
  }
  add(row, time ? time->host : std::nullopt);
  add(row, time ? time->device : std::nullopt);
}

void add_row(std::string* rows, const std::string& arm, const WindowRecord& record) {
  fmt::format_to(std::back_inserter(*rows), "{},{},{},{},{},{},{}", arm, record.block, record.order,
                 record.window.value, record.steps, record.start_host.count(),
                 record.end_host.count());
  add(rows, record.queue_start);
  add(rows, record.queue_end);
  add(rows, record.loss_first);
  add(rows, record.loss_last);
  rows->append(",").append(csv_field(one_line(record.void_reason))).append("\n");
}

void add_row(std::string* rows, const std::string& arm, const StepRecord& record) {
  rows->append(arm);
  add(rows, record.window);
  fmt::format_to(std::back_inserter(*rows), ",{},{},{}", record.step.value, record.timed ? 1 : 0,
                 record.start_host.count());
  for (const auto& phase : record.phases) add(rows, phase);
  add(rows, record.allocated_peak_bytes);
  add(rows, record.reserved_peak_bytes);
  rows->push_back('\n');
}

void add_row(std::string* rows, const std::string& arm, const CollectiveRecord& record) {
  rows->append(arm);
  add(rows, record.window);
  fmt::format_to(std::back_inserter(*rows), ",{},{},{},{}", record.step.value, record.bucket,
                 record.bytes, record.issue_host.count());
  add(rows, record.arrival);
  add(rows, record.start);
  add(rows, record.end);
  rows->append(",").append(csv_field(one_line(record.clock))).append("\n");
}

void add_row(std::string* rows, const DeviceRecord& record) {
  fmt::format_to(std::back_inserter(*rows), "{},{}", record.window.value,
                 record.when == DeviceWhen::kBefore ? kBeforeWord : kAfterWord);
  add(rows, record.sm_clock_mhz);
  add(rows, record.memory_clock_mhz);
  add(rows, record.power_w);
  add(rows, record.temperature_c);
  add(rows, record.throttle_reasons);
  add(rows, record.other_processes);
  rows->push_back('\n');
}

void add_row(std::string* rows, const std::string& arm, const InputRecord& record) {
  rows->append(arm);
  add(rows, record.window);
  fmt::format_to(std::back_inserter(*rows), ",{},{},{},{},{},{}", record.step.value, record.batch,
                 record.begun.count(), record.ready.count(), record.asked.count(),
                 record.taken.count());
  add(rows, record.released);
  fmt::format_to(std::back_inserter(*rows), ",{},{},{}", record.read.count(), record.decode.count(),
                 record.resize.count());
  add(rows, record.cpu);
  fmt::format_to(std::back_inserter(*rows), ",{}", record.slot_wait.count());
  add(rows, record.queue_depth);
  rows->append(",").append(csv_field(one_line(record.slowest_file)));
  fmt::format_to(std::back_inserter(*rows), ",{}", record.slowest.count());
  add(rows, record.copy);
  add(rows, record.engine_wait);
  rows->push_back('\n');
}

void check_name(const std::string& arm) {
  if (std::any_of(arm.begin(), arm.end(), is_control)) {
    throw RunError(fmt::format(
        "arm '{}' has a control character in its name, which raw files cannot hold; rename it",
        one_line(arm)));
  }
}

void make_folder(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) throw RunError(fmt::format("cannot create folder {}: {}", dir, error.message()));
}

}  // namespace

struct RawWriter::Files {
  std::array<ChecksummedFile, 3> files;
  std::optional<ChecksummedFile> device;
  std::optional<ChecksummedFile> input;
  std::vector<std::string> arms;  // as CSV fields

  template <typename Record>
  void append(ChecksummedFile& file, const std::vector<Record>& records) {
    std::string rows;
    for (const Record& record : records) {
      add_row(&rows, arms.at(static_cast<std::size_t>(record.arm.value)), record);
    }
    file.append(std::move(rows), std::ssize(records));
  }

  template <typename Record>
  void append(RawFile file, const std::vector<Record>& records) {
    append(files[index_of(file)], records);
  }
};

RawWriter::RawWriter(const std::string& dir, RunId run, Rank rank,
                     std::vector<std::string> arm_names, OptionalFiles optional) {
  for (std::string& arm : arm_names) {
    check_name(arm);
    arm = csv_field(arm);
  }
  make_folder(dir);
  const auto create = [&](RawFile file) {
    return ChecksummedFile(dir + "/" + raw_file_name(file, rank),
                           raw_header(file) + "\n" + raw_identity(run, rank, file) + "\n");
  };
  files_ = std::make_unique<Files>(
      Files{{create(RawFile::kWindows), create(RawFile::kSteps), create(RawFile::kCollectives)},
            std::nullopt,
            std::nullopt,
            std::move(arm_names)});
  if (optional.device) files_->device.emplace(create(RawFile::kDevice));
  if (optional.input) files_->input.emplace(create(RawFile::kInput));
}

bool keeps_inputs(const CampaignFacts& facts) {
  return std::any_of(facts.arms.begin(), facts.arms.end(), [](const ArmFacts& arm) {
    return arm.workers && arm.instrument != Instrument::kNone;
  });
}

RawWriter::~RawWriter() = default;

void RawWriter::append(const std::vector<WindowRecord>& windows,
                       const std::vector<StepRecord>& steps,
                       const std::vector<CollectiveRecord>& collectives,
                       const std::vector<DeviceRecord>& devices,
                       const std::vector<InputRecord>& inputs) {
  files_->append(RawFile::kSteps, steps);
  files_->append(RawFile::kCollectives, collectives);
  if (files_->device) {
    std::string rows;
    for (const DeviceRecord& record : devices) add_row(&rows, record);
    files_->device->append(std::move(rows), std::ssize(devices));
  }
  if (files_->input) files_->append(*files_->input, inputs);
  // Last: a window counts as finished once its own row is there.
  files_->append(RawFile::kWindows, windows);
}

}  // namespace traceml
