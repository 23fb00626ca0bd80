#pragma once
// The one table of all config keys: the YAML reader, --set, the canonical form, the lists of
// differing keys and the printed key reference all read it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Who may set a key: arms too; or the whole run only, because arms share one process, or because
// it means nothing for one arm.
enum class KeyScope { kArm, kProcess, kRun };

struct ConfigKey {
  std::string path;  // "input.workers"; its group is the part before the last dot
  std::string help;  // one line
  std::string form;  // "integer, 0 to 256"
  KeyScope scope = KeyScope::kRun;
  bool free_text = false;  // any words: quoted in YAML
  bool list = false;       // a list in YAML; its text is that list in flow form
  bool words = false;      // a list of any words, each in double quotes in its text
  // What is wrong with the text ("is 'x'; allowed: ..."), or nullopt and it is set.
  std::function<std::optional<std::string>(Config&, const std::string& text)> set;
  std::function<std::string(const Config&)> get;  // canonical text: set() reads it back
};

// In the order in which a config lists them, group by group.
const std::vector<ConfigKey>& config_keys();

const ConfigKey* find_config_key(std::string_view path);  // nullptr: no such key

// "input" of "input.workers", "workload.optimizer" of "workload.optimizer.lr", "" of "seed".
std::string_view group_of(std::string_view path);
bool is_config_group(std::string_view path);

// The canonical text of a key; throws std::out_of_range for a path that is no key.
std::string text_of(const Config& config, std::string_view path);

// The nearest known path for an unknown one, as did_you_mean() words it: keys and groups of the
// same group first, then a key of that name anywhere.
std::string config_key_hint(std::string_view path);

// Keys of later versions: "is not in this version yet". nullopt for a word that is none of them.
std::optional<std::string> later_version_key(std::string_view path);

// An arm that overrides nothing.
ArmConfig make_arm(const Config& config, const std::string& name);

// The arm's settings in place of those at the top: what get() needs to read an arm. Without arms,
// gates and places.
Config seen_by(const Config& config, const ArmConfig& arm);

// What is wrong with setting the key in this arm, or nullopt and it is set and overridden.
std::optional<std::string> set_in_arm(const Config& config, ArmConfig* arm, const ConfigKey& key,
                                      const std::string& text);

// A set of defaults and their texts for people, one line a key; gates and arms too.
std::string key_reference();

}  // namespace traceml
