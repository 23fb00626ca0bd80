#include "harness/app/environment_probe.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/app/commit.h"
#include "harness/app/version.h"
#include "harness/runner/allowed_cores.h"
#include "workloads/input/loader_cores.h"

namespace traceml {
namespace {

// The value behind "key: value" in one of /proc's lists.
std::optional<std::string> proc_value(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const auto value = line.find_first_not_of(" \t:", key.size());
    if (value != std::string::npos) return line.substr(value);
  }
  return std::nullopt;
}

std::optional<std::string> operating_system() {
  std::ifstream file("/etc/os-release");
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view kKey = "PRETTY_NAME=\"";
    if (line.starts_with(kKey)) return line.substr(kKey.size(), line.size() - kKey.size() - 1);
  }
  return std::nullopt;
}

// Of NVIDIA's kernel module: "580.65.06".
std::optional<std::string> driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.find('.') == std::string::npos) continue;
    if (word.find_first_not_of("0123456789.") == std::string::npos) return word;
  }
  return std::nullopt;
}

// The image that this process runs in, without its registry or folder: "nightly.sif", "debian:12".
std::optional<std::string> container() {
  for (const char* variable : {"APPTAINER_NAME", "SINGULARITY_NAME"}) {
    const char* name = std::getenv(variable);
    if (name == nullptr || *name == '\0') continue;
    return std::string(name).substr(std::string_view(name).rfind('/') + 1);
  }
  auto image = proc_value("/run/.containerenv", "image=");
  if (!image) return std::nullopt;
  std::erase(*image, '"');
  const std::string name = image->substr(image->rfind('/') + 1);
  return name.empty() ? std::nullopt : std::optional(name);
}

// A cgroup's limit: a plain number of bytes, or "max".
std::optional<std::int64_t> bytes_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  if (!(file >> bytes)) return std::nullopt;
  return bytes;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kDistorting = {
    {{"CUDA_LAUNCH_BLOCKING", "1"}, {"NCCL_DEBUG", "TRACE"}}};

// A profiler or sanitizer has set itself up to be loaded into this process: the injection variables
// of CUDA and NVTX, and those that nsys, ncu and compute-sanitizer give to what they start. A name
// that ends in _ is a beginning. Not what environment modules set (NSYS_HOME and the like).
constexpr std::array<std::string_view, 8> kInjecting = {
    "CUDA_INJECTION32_PATH", "CUDA_INJECTION64_PATH", "NVTX_INJECTION32_PATH",
    "NVTX_INJECTION64_PATH", "NSYS_PROFILING_",       "NV_COMPUTE_PROFILER_",
    "NV_SANITIZER_",         "COMPUTE_SANITIZER_"};

bool injects(std::string_view name) {
  return std::any_of(kInjecting.begin(), kInjecting.end(), [name](std::string_view known) {
    return known.ends_with('_') ? name.starts_with(known) : name == known;
  });
}

}  // namespace

Environment probe_environment() {
  Environment environment;
  auto& facts = environment.facts;
  if (auto model = proc_value("/proc/cpuinfo", "model name")) facts["cpu_model"] = *model;
  if (auto memory = proc_value("/proc/meminfo", "MemTotal")) {
    facts["memory_gib"] = fmt::format("{:.0f}", std::strtod(memory->c_str(), nullptr) / (1 << 20));
  }
  if (auto system = operating_system()) facts["os"] = *system;
  if (auto version = driver()) facts["driver"] = *version;
  if (auto image = container()) facts["container"] = *image;
  facts["cores_online"] = std::to_string(sysconf(_SC_NPROCESSORS_ONLN));
  facts["cores_allowed"] = std::to_string(allowed_core_count());
  if (const auto cores = cores_allowed_to(0); !cores.empty()) facts["affinity"] = core_list(cores);
  utsname kernel{};
  if (uname(&kernel) == 0) facts["kernel"] = kernel.release;
  facts["compiler"] = kCompiler;
  facts["build_type"] = kBuildType;
  facts["traceml_bench"] = kToolVersion;
  facts["build_commit"] = kCommit;
  return environment;
}

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "?";
}

std::optional<std::int64_t> memory_limit() {
  std::optional<std::int64_t> limit;
  if (const auto total = proc_value("/proc/meminfo", "MemTotal")) {
    limit = std::strtoll(total->c_str(), nullptr, 10) * 1024;
  }
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const auto bytes = bytes_in(path);
    if (bytes && (!limit || *bytes < *limit)) limit = bytes;
  }
  return limit;
}

namespace {

std::optional<std::int64_t> own_memory(const char* which) {
  const auto kib = proc_value("/proc/self/status", which);
  if (!kib) return std::nullopt;
  return std::strtoll(kib->c_str(), nullptr, 10) * 1024;
}

}  // namespace

std::optional<std::int64_t> peak_memory() {
  return own_memory("VmHWM");
}

std::optional<std::int64_t> memory_held() {
  return own_memory("VmRSS");
}

std::vector<std::string> distortions_in(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::map<std::string, std::string> last;
  for (const auto& [variable, value] : variables) last[variable] = value;
  std::vector<std::string> found;
  for (const auto& [name, distorting] : kDistorting) {
    const auto set = last.find(std::string(name));
    if (set != last.end() && set->second == distorting) {
      found.push_back(fmt::format("{}={}", name, distorting));
    }
  }
  // Without their values, which are paths of this machine.
  for (const auto& [variable, value] : last) {
    if (!value.empty() && injects(variable)) {
      found.push_back(fmt::format("{} (a profiler or sanitizer is attached)", variable));
    }
  }
  return found;
}

std::vector<std::string> probe_distortions() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::vector<std::string> found = distortions_in(variables);
  if (const auto tracer = proc_value("/proc/self/status", "TracerPid"); tracer && *tracer != "0") {
    found.push_back("a tracer or debugger is attached");
  }
  if (*kSanitizers != '\0') found.push_back(fmt::format("built with -fsanitize={}", kSanitizers));
  return found;
}

}  // namespace traceml
