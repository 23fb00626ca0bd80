#include "harness/codec/raw_format.h"

#include <fmt/format.h>

#include "harness/core/phase.h"

namespace traceml {
namespace {

std::string steps_header() {
  std::string header = "arm,window,step,timed,start_host_ns";
  for (const Phase phase : kAllPhases) {
    header += fmt::format(",{0}_host_ns,{0}_device_ns", name_of(phase));
  }
  return header + ",allocated_peak_bytes,reserved_peak_bytes";
}

constexpr std::array<std::string_view, kRawFiles.size()> kStems = {
    "windows", "steps", "collectives", "device", "input"};

}  // namespace

std::string raw_file_name(RawFile file, Rank rank) {
  return fmt::format("{}_rank_{:04}.csv", kStems[index_of(file)], rank.value);
}

const std::string& raw_header(RawFile file) {
  static const std::array<std::string, kRawFiles.size()> kHeaders = {
      "arm,block,order,window,steps,start_host_ns,end_host_ns,queue_start,queue_end,loss_first,"
      "loss_last,void_reason",
      steps_header(), "arm,window,step,bucket,bytes,issue_host_ns,arrival_ns,start_ns,end_ns,clock",
      "window,when,sm_clock_mhz,memory_clock_mhz,power_w,temperature_c,throttle_reasons,"
      "other_processes",
      "arm,window,step,batch,begun_host_ns,ready_host_ns,asked_host_ns,taken_host_ns,"
      "released_host_ns,read_ns,decode_ns,resize_ns,cpu_ns,slot_wait_ns,queue_depth,slowest_file,"
      "slowest_ns,copy_ns,engine_wait_ns"};
  return kHeaders[index_of(file)];
}

std::string older_raw_header(RawFile file) {
  if (file != RawFile::kInput) return "";
  const std::string& header = raw_header(file);
  return header.substr(0, header.rfind(','));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"#") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char byte : text) quoted.append(byte == '"' ? 2 : 1, byte);
  return quoted + '"';
}

std::string raw_identity(RunId run, Rank rank, RawFile file) {
  return raw_identity(run, rank, kStems[index_of(file)]);
}

std::string raw_identity(RunId run, Rank rank, std::string_view kind) {
  return fmt::format("{}{} rank {} {}", kIdentity, text_of(run), rank.value, kind);
}

}  // namespace traceml
