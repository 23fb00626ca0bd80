#include "harness/plan/plants.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/plan/nearest.h"

namespace traceml {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// One key of one kind; a kind that is written as one value has a single key without a name.
struct PlantKey {
  std::string name;
  bool needed = true;
  // What is wrong with the text, or nullopt and it is set.
  std::function<std::optional<std::string>(Plant&, const std::string& text)> set;
  std::function<std::optional<std::string>(const Plant&)> get;  // nullopt: not written
};

struct KindRules {
  PlantKind kind;
  std::string name;
  std::vector<PlantKey> keys;
};

// `access` gives the value's place in a plant: a reference, const for a const plant.
template <class Form, class Access>
PlantKey make_key(const char* name, bool needed, const Form& form, Access access) {
  PlantKey key;
  key.name = name;
  key.needed = needed;
  key.set = [read = form.read, access](Plant& plant,
                                       const std::string& text) -> std::optional<std::string> {
    const auto reading = read(text);
    if (!reading.value) return reading.fault;
    access(plant) = *reading.value;
    return std::nullopt;
  };
  key.get = [print = form.print, access](const Plant& plant) {
    return std::optional<std::string>(print(access(plant)));
  };
  return key;
}

ValueForm<Millis> time_form() {
  const ValueForm<double> number = decimal_form(0, 3600000, true);
  ValueForm<Millis> made;
  made.form = number.form;
  made.read = [number](const std::string& text) -> Reading<Millis> {
    const Reading<double> reading = number.read(text);
    if (!reading.value) return {std::nullopt, reading.fault};
    return {Millis(*reading.value), ""};
  };
  made.print = [number](const Millis& time) { return number.print(time.count()); };
  return made;
}

ValueForm<std::optional<Rank>> rank_form() {
  const ValueForm<int> number = integer_form(0, 65535);
  ValueForm<std::optional<Rank>> made;
  made.form = number.form;
  made.read = [number](const std::string& text) -> Reading<std::optional<Rank>> {
    const Reading<int> reading = number.read(text);
    if (!reading.value) return {std::nullopt, reading.fault};
    return {std::optional<Rank>(Rank{*reading.value}), ""};
  };
  made.print = [number](const std::optional<Rank>& rank) { return number.print(rank->value); };
  return made;
}

ValueForm<std::optional<Phase>> phase_form() {
  std::vector<std::pair<std::string, std::optional<Phase>>> names;
  for (const Phase phase : kAllPhases) {
    if (phase != Phase::kTraced) names.emplace_back(name_of(phase), phase);
  }
  return choice_form<std::optional<Phase>>(names, {});
}

PlantKey rank_key() {
  return make_key(
      "rank", true, rank_form(), [](auto& p) -> auto& { return p.rank; });
}

PlantKey step_key() {
  return make_key(
      "step", true, integer_form(0, 2000000), [](auto& p) -> auto& { return p.step; });
}

PlantKey time_key() {
  return make_key(
      "ms", true, time_form(), [](auto& p) -> auto& { return p.time; });
}

PlantKey every_key(bool needed) {
  return make_key(
      "every", needed, integer_form(1, 10000), [](auto& p) -> auto& { return p.every; });
}

PlantKey fraction_key() {
  return make_key(
      "", true, margin_form(), [](auto& p) -> auto& { return p.fraction; });
}

// "warmup" or the least index of the window.
PlantKey window_key() {
  PlantKey key;
  key.name = "window";
  key.needed = false;
  const ValueForm<int> number = integer_form(0, 1000000);
  key.set = [number](Plant& plant, const std::string& text) -> std::optional<std::string> {
    plant.window.in_warm_up = text == "warmup";
    if (plant.window.in_warm_up) return std::nullopt;
    const Reading<int> reading = number.read(text);
    if (!reading.value) return reading.fault + ", or warmup";
    plant.window.from = reading.value;
    return std::nullopt;
  };
  key.get = [](const Plant& plant) -> std::optional<std::string> {
    if (plant.window.in_warm_up) return "warmup";
    if (plant.window.from) return std::to_string(*plant.window.from);
    return std::nullopt;
  };
  return key;
}

PlantKey fault_phase_key() {
  PlantKey key;
  key.name = "phase";
  key.needed = false;
  key.set = [](Plant& plant, const std::string& text) -> std::optional<std::string> {
    plant.at_all_reduce = text == "allreduce";
    if (plant.at_all_reduce) return std::nullopt;
    const auto reading = phase_form().read(text);
    if (!reading.value) return reading.fault + " | allreduce";
    plant.phase = *reading.value;
    return std::nullopt;
  };
  key.get = [](const Plant& plant) -> std::optional<std::string> {
    if (plant.at_all_reduce) return "allreduce";
    if (plant.phase) return std::string(name_of(*plant.phase));
    return std::nullopt;
  };
  return key;
}

PlantKey before_key() {
  PlantKey key;
  key.name = "before";
  key.needed = false;
  key.set = [](Plant&, const std::string& text) -> std::optional<std::string> {
    if (text == "allreduce") return std::nullopt;
    return "is " + shown(text) + "; allowed: allreduce";
  };
  key.get = [](const Plant&) { return std::optional<std::string>("allreduce"); };
  return key;
}

// Written only where it is not the host.
PlantKey on_key() {
  const auto form =
      choice_form<DelayOn>({{"host", DelayOn::kHost}, {"device", DelayOn::kDevice}}, {});
  PlantKey key = make_key(
      "on", false, form, [](auto& p) -> auto& { return p.on; });
  key.get = [](const Plant& plant) -> std::optional<std::string> {
    if (plant.on == DelayOn::kHost) return std::nullopt;
    return "device";
  };
  return key;
}

const std::vector<KindRules>& all_rules() {
  const auto how = choice_form<FaultHow>({{"throw", FaultHow::kThrow},
                                          {"exit", FaultHow::kExit},
                                          {"kill", FaultHow::kKill},
                                          {"segfault", FaultHow::kSegfault},
                                          {"stop", FaultHow::kStop},
                                          {"hang", FaultHow::kHang}},
                                         {});
  const auto phase = [](bool needed) {
    return make_key(
        "phase", needed, phase_form(), [](auto& p) -> auto& { return p.phase; });
  };
  static const std::vector<KindRules> rules = {
      {PlantKind::kSlowdown, "slowdown", {fraction_key()}},
      {PlantKind::kStall, "stall", {every_key(true), time_key(), phase(true)}},
      {PlantKind::kDelay,
       "delay",
       {rank_key(), time_key(), before_key(), every_key(false), on_key()}},
      {PlantKind::kUntracked, "untracked", {time_key()}},
      {PlantKind::kDrift, "drift", {fraction_key()}},
      {PlantKind::kLaunchEffect, "launch_effect", {fraction_key()}},
      {PlantKind::kLostEvent, "lost_event", {rank_key(), window_key(), step_key(), phase(true)}},
      {PlantKind::kFault,
       "fault",
       {rank_key(), window_key(), step_key(), fault_phase_key(),
        make_key(
            "how", true, how, [](auto& p) -> auto& { return p.how; })}},
  };
  return rules;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindRules& rules : all_rules()) names.push_back(rules.name);
  return names;
}

// Flow YAML without quotes: all that plants need.
class FlowReader {
 public:
  explicit FlowReader(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // Empty: there is none.
  std::string word() {
    skip_spaces();
    const std::size_t end = std::min(text_.find_first_of(" \t[]{},:", at_), text_.size());
    const std::string found(text_.substr(at_, end - at_));
    at_ = end;
    return found;
  }

  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

  std::string rest() const { return std::string(text_.substr(at_)); }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr const char* kShape =
    "is no list of plants; write it as [{slowdown: 5%}, {delay: {rank: 1, ms: 20}}]";

// "KEY: VALUE, ..." up to the closing brace; nullopt for another shape.
std::optional<Parameters> read_parameters(FlowReader& reader) {
  Parameters parameters;
  if (reader.take('}')) return parameters;
  do {
    const std::string name = reader.word();
    if (name.empty() || !reader.take(':')) return std::nullopt;
    const std::string value = reader.word();
    if (value.empty()) return std::nullopt;
    parameters.emplace_back(name, value);
  } while (reader.take(','));
  if (!reader.take('}')) return std::nullopt;
  return parameters;
}

Reading<Plant> plant_of(const std::string& kind, const Parameters& parameters) {
  const KindRules* rules = nullptr;
  for (const KindRules& one : all_rules()) {
    if (one.name == kind) rules = &one;
  }
  if (rules == nullptr) {
    return {std::nullopt,
            "has the unknown plant " + shown(kind) + did_you_mean(kind, kind_names())};
  }
  Plant plant;
  plant.kind = rules->kind;
  std::set<std::string> given;
  for (const auto& [name, value] : parameters) {
    const PlantKey* key = nullptr;
    std::vector<std::string> names;
    for (const PlantKey& one : rules->keys) {
      names.push_back(one.name);
      if (one.name == name) key = &one;
    }
    const bool one_value = rules->keys.front().name.empty();
    if (key == nullptr && one_value) {
      return {std::nullopt, "has " + kind + " with keys; write {" + kind + ": 5%}"};
    }
    if (key == nullptr && name.empty()) {
      return {std::nullopt, "has " + kind + " with one value; it takes keys, as {" + kind + ": {" +
                                names.front() + ": ...}}"};
    }
    if (key == nullptr) {
      return {std::nullopt,
              "has the unknown key " + shown(name) + " in " + kind + did_you_mean(name, names)};
    }
    if (!given.insert(name).second) return {std::nullopt, "has " + kind + "." + name + " twice"};
    const std::string full = name.empty() ? kind : kind + "." + name;
    if (const auto fault = key->set(plant, value)) return {std::nullopt, full + " " + *fault};
  }
  for (const PlantKey& key : rules->keys) {
    if (key.needed && !given.contains(key.name)) {
      return {std::nullopt, "has " + kind + " without its key '" + key.name + "'"};
    }
  }
  return {plant, ""};
}

Reading<Plant> read_plant(FlowReader& reader) {
  if (!reader.take('{')) return {std::nullopt, kShape};
  const std::string kind = reader.word();
  if (kind.empty() || !reader.take(':')) return {std::nullopt, kShape};
  Parameters parameters;
  if (reader.take('{')) {
    const auto read = read_parameters(reader);
    if (!read) return {std::nullopt, kShape};
    parameters = *read;
  } else {
    parameters.emplace_back("", reader.word());
    if (parameters.back().second.empty()) return {std::nullopt, kShape};
  }
  if (!reader.take('}')) return {std::nullopt, kShape};
  return plant_of(kind, parameters);
}

Reading<std::vector<Plant>> read_plants(const std::string& text) {
  FlowReader reader(text);
  std::vector<Plant> plants;
  if (!reader.take('[')) return {std::nullopt, kShape};
  if (!reader.take(']')) {
    do {
      const Reading<Plant> plant = read_plant(reader);
      if (!plant.value) return {std::nullopt, plant.fault};
      plants.push_back(*plant.value);
    } while (reader.take(','));
    if (!reader.take(']')) return {std::nullopt, kShape};
  }
  if (!reader.at_end()) return {std::nullopt, kShape};
  if (plants.size() > kMaxPlants) {
    return {std::nullopt, "has " + std::to_string(plants.size()) + " plants; at most " +
                              std::to_string(kMaxPlants) + " are allowed"};
  }
  return {plants, ""};
}

}  // namespace

std::string text_of(const Plant& plant) {
  const KindRules& rules = all_rules()[static_cast<std::size_t>(plant.kind)];
  std::string text;
  for (const PlantKey& key : rules.keys) {
    const auto value = key.get(plant);
    if (!value) continue;
    if (key.name.empty()) return "{" + rules.name + ": " + *value + "}";
    text += (text.empty() ? "" : ", ") + key.name + ": " + *value;
  }
  return "{" + rules.name + ": {" + text + "}}";
}

ValueForm<std::vector<Plant>> plants_form() {
  ValueForm<std::vector<Plant>> made;
  made.form = "list of ";
  for (const std::string& name : kind_names()) {
    made.form += (made.form.ends_with("of ") ? "" : " | ") + name;
  }
  made.read = read_plants;
  made.print = [](const std::vector<Plant>& plants) {
    std::string text;
    for (const Plant& plant : plants) text += (text.empty() ? "" : ", ") + text_of(plant);
    return "[" + text + "]";
  };
  return made;
}

}  // namespace traceml
