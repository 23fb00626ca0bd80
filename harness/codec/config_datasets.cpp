#include "harness/codec/config_datasets.h"

#include <map>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace traceml {

namespace {

struct Use {
  InputConfig* input;
  std::string written;
};

bool is_from_command_line(const Config& config, const std::string& key) {
  const auto place = config.places.find(key);
  return place != config.places.end() && place->second.starts_with("--set");
}

std::string last_part(const std::filesystem::path& path) {
  const std::string last = path.lexically_normal().filename().string();
  return last.empty() ? path.lexically_normal().parent_path().filename().string() : last;
}

}  // namespace

void resolve_datasets(Config* config, const std::filesystem::path& file_folder) {
  std::vector<Use> uses;
  const auto add = [&](InputConfig& input, bool from_command_line) {
    if (input.dataset.empty()) return;
    const std::filesystem::path written(input.dataset);
    const bool as_it_is = written.is_absolute() || from_command_line;
    input.dataset_path = (as_it_is ? written : file_folder / written).lexically_normal().string();
    uses.push_back({&input, input.dataset});
  };
  const bool top_from_command_line = is_from_command_line(*config, "input.dataset");
  add(config->input, top_from_command_line);
  for (std::vector<ArmConfig>* arms : {&config->arms, &config->sweep.settings}) {
    for (ArmConfig& arm : *arms) {
      const std::string key = "arms." + arm.name + ".input.dataset";
      const bool own = arm.overridden.contains("input.dataset");
      add(arm.input, own ? is_from_command_line(*config, key) : top_from_command_line);
    }
  }

  std::map<std::string, std::string> written_of;  // shown name -> as written
  for (const Use& use : uses) {
    if (std::filesystem::path(use.written).is_relative()) written_of[use.written] = use.written;
  }
  for (const Use& use : uses) {
    if (std::filesystem::path(use.written).is_relative()) continue;
    const std::string last = last_part(use.written);
    std::string shown = last.empty() ? "dataset" : last;
    for (int n = 2; !written_of.try_emplace(shown, use.written).second; ++n) {
      if (written_of[shown] == use.written) break;
      shown = last + "~" + std::to_string(n);
    }
    use.input->dataset = shown;
  }
}

void resolve_working_directories(Config* config, const std::filesystem::path& file_folder) {
  const auto resolve = [&](CommandConfig& command, const std::string& key) {
    if (command.words.empty()) return;
    const std::filesystem::path written(command.working_directory);
    const auto resolved =
        (is_from_command_line(*config, key) ? written : file_folder / written).lexically_normal();
    command.working_path = resolved.empty() ? "." : resolved.string();
  };
  const std::string top = "working_directory";
  resolve(config->command, top);
  for (ArmConfig& arm : config->arms) {
    resolve(arm.command, arm.overridden.contains(top) ? "arms." + arm.name + "." + top : top);
  }
}

void resolve_stores(Config* config, const std::filesystem::path& file_folder) {
  std::map<std::string, std::string> paths;  // shown name -> folder
  for (GateConfig& gate : config->gates) {
    if (gate.stored.empty()) continue;
    const std::filesystem::path written(gate.stored);
    if (written.is_absolute()) {
      gate.stored_path = written.lexically_normal().string();
      gate.stored = last_part(written);
    } else {
      gate.stored_path = (file_folder / written).lexically_normal().string();
    }
    const auto [known, is_new] = paths.emplace(gate.stored, gate.stored_path);
    if (is_new || known->second == gate.stored_path) continue;
    throw UsageError(gate.where + ": reports would call two stores " + gate.stored +
                     "; give one of them a relative path");
  }
}

void resolve_noise_profile(Config* config, const std::filesystem::path& file_folder) {
  MeasureConfig& measure = config->measure;
  if (measure.noise_profile.empty()) return;
  const std::filesystem::path written(measure.noise_profile);
  const bool as_it_is =
      written.is_absolute() || is_from_command_line(*config, "measure.noise_profile");
  measure.noise_profile_path =
      (as_it_is ? written : file_folder / written).lexically_normal().string();
  if (written.is_absolute()) measure.noise_profile = last_part(written);
}

}  // namespace traceml
